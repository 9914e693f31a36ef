"""Redacting the columns of a file before a session sees it: CSV, JSON lines and Parquet.

Runs in a session of the operator's own, streaming. The rules: "drop" leaves the column out, "mask"
puts *** for every value, "hash" a keyed hash, so that equal values stay equal within the file.
Empty values stay empty. No message holds a value.
"""

import csv
import hashlib
import hmac
import json
import os

from .csv_loading import delimiter_of, encoding_of
from .own_builtins import __builtins__  # noqa: F401

_MASK = "***"
_HASH_DIGITS = 32
_SAMPLE = 64 * 1024
_BATCH_ROWS = 50_000
_MAX_FIELD = 64 * 1024 * 1024
_MAX_TOLD = 50


class RedactionError(Exception):
    """The file cannot be redacted as asked; nothing of it may be passed on."""


def redact(source, target, kind, rules, key=""):
    """Write a redacted copy; returns {format, columns, rows, rules}."""
    for column, rule in rules.items():
        if rule not in ("drop", "mask", "hash"):
            raise RedactionError(f"there is no rule {rule!r}; there are drop, mask and hash")
    run = {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}.get(kind)
    if run is None:
        raise RedactionError(
            f"files of the kind {kind!r} cannot be redacted; csv, jsonl, parquet can"
        )
    columns, rows = run(source, target, _Redactor(rules, key))
    return {"format": kind, "columns": columns, "rows": rows, "rules": rules}


class _Redactor:
    def __init__(self, rules, key):
        self.rules = rules
        self.key = key.encode() if key else os.urandom(32)

    def check(self, columns):
        """Every rule has its column, and only one."""
        for column in self.rules:
            if columns.count(column) != 1:
                found = "no column" if column not in columns else "more than one column"
                shown = ", ".join(columns[:_MAX_TOLD])
                raise RedactionError(f"there is {found} {column!r}; the columns are: {shown}")

    def value(self, rule, value):
        """What stands in the place of a value that is not left out; empty ones stay."""
        if value is None or value == "":
            return value
        if rule == "mask":
            return _MASK
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
        return hmac.new(
            self.key, text.encode("utf-8", "surrogatepass"), hashlib.sha256
        ).hexdigest()[:_HASH_DIGITS]


def _csv(source, target, redactor):
    with open(source, "rb") as file:
        sample = file.read(_SAMPLE)
    encoding = encoding_of(source, sample, len(sample) < _SAMPLE)
    delimiter = delimiter_of(sample.decode(encoding, "replace"))
    csv.field_size_limit(_MAX_FIELD)
    rows = 0
    with open(source, encoding=encoding, newline="", errors="replace") as file, open(
        target, "w", encoding="utf-8", newline=""
    ) as out:
        reader = csv.reader(file, delimiter=delimiter)
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        columns = _next_row(reader, 0)
        if columns is None:
            raise RedactionError("the file is empty: its first line must name the columns")
        redactor.check(columns)
        plan = [redactor.rules.get(column) for column in columns]
        writer.writerow([column for column, rule in zip(columns, plan) if rule != "drop"])
        while (row := _next_row(reader, rows + 1)) is not None:
            rows += 1
            if len(row) > len(columns):
                raise RedactionError(
                    f"row {rows} has more fields than the first line names columns"
                )
            writer.writerow(
                [
                    redactor.value(rule, value) if rule else value
                    for value, rule in zip(row, plan)
                    if rule != "drop"
                ]
            )
    return columns, rows


def _next_row(reader, number):
    try:
        return next(reader, None)
    except csv.Error:
        raise RedactionError(f"row {number} is no CSV") from None


def _json_lines(source, target, redactor):
    columns, rows = {}, 0
    with open(source, encoding="utf-8-sig", errors="replace") as file, open(
        target, "w", encoding="utf-8"
    ) as out:
        for line in file:
            if not line.strip():
                continue
            rows += 1
            record = _record(line, rows)
            columns.update(dict.fromkeys(record))
            out.write(json.dumps(_redacted(record, redactor), ensure_ascii=False) + "\n")
    redactor.check(list(columns))
    return list(columns), rows


def _record(line, number):
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise RedactionError(f"line {number} is no JSON") from None
    if not isinstance(record, dict):
        raise RedactionError(f"line {number} is no JSON object")
    return record


def _redacted(record, redactor):
    rules = redactor.rules
    return {
        name: redactor.value(rules[name], value) if name in rules else value
        for name, value in record.items()
        if rules.get(name) != "drop"
    }


def _parquet(source, target, redactor):
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RedactionError("Parquet needs pyarrow, which is not installed here") from None
    try:
        file = parquet.ParquetFile(source)
    except (pyarrow.ArrowException, OSError):
        raise RedactionError("the file is no Parquet") from None
    with file:
        schema = file.schema_arrow
        redactor.check(schema.names)
        fields = [
            pyarrow.field(field.name, pyarrow.string()) if field.name in redactor.rules else field
            for field in schema
            if redactor.rules.get(field.name) != "drop"
        ]
        kept = pyarrow.schema([field.remove_metadata() for field in fields])
        rows = 0
        with parquet.ParquetWriter(target, kept) as writer:
            for batch in file.iter_batches(_BATCH_ROWS, columns=kept.names):
                rows += batch.num_rows
                arrays = [_array(pyarrow, batch, field, redactor) for field in kept]
                writer.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=kept))
    return schema.names, rows


def _array(pyarrow, batch, field, redactor):
    column = batch.column(batch.schema.get_field_index(field.name))
    rule = redactor.rules.get(field.name)
    if rule is None:
        return column
    values = [redactor.value(rule, value) for value in column.to_pylist()]
    return pyarrow.array(values, type=pyarrow.string())
