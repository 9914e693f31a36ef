"""polars frames and pyarrow tables: shape and columns first, first and last rows.

The packages are looked up among the loaded modules and never imported to find out.
"""

from sys import modules

from .own_builtins import __builtins__  # noqa: F401

_ROWS = 10
_MAX_WIDE = 12
_MAX_HTML_COLUMNS = 200
_MAX_SHOWN = 200


def is_table(value):
    """Whether the value is a polars DataFrame or a pyarrow Table."""
    return _is(value, "polars", "DataFrame") or _is(value, "pyarrow", "Table")


def text_of(value):
    """The text of a polars DataFrame or pyarrow Table; None for anything else."""
    if _is(value, "polars", "DataFrame"):
        return _polars_text(value)
    if _is(value, "pyarrow", "Table"):
        return _arrow_text(value)
    return None


def html_of(value):
    """The HTML table of a polars DataFrame; None where there is none."""
    if not _is(value, "polars", "DataFrame"):
        return None
    with modules["polars"].Config(tbl_cols=_MAX_HTML_COLUMNS, tbl_rows=_ROWS):
        return value._repr_html_()


def columns_of(value, most):
    """((name, dtype) pairs, a list for each column) of the first rows."""
    head = value.slice(0, most)
    if _is(value, "polars", "DataFrame"):
        columns = [(name, str(dtype)) for name, dtype in head.schema.items()]
        return columns, [column.to_list() for column in head.get_columns()]
    columns = [(field.name, str(field.type)) for field in head.schema]
    return columns, [column.to_pylist() for column in head.columns]


def _polars_text(frame):
    if frame.width > _MAX_WIDE:  # a line for each column: a table would squeeze them
        return frame.glimpse(max_items_per_column=5, return_type="string")
    with modules["polars"].Config(tbl_cols=-1, tbl_rows=_ROWS, tbl_width_chars=160):
        return str(frame)


def _arrow_text(table):
    schema = ", ".join(f"{field.name} {field.type}" for field in table.schema)
    lines = [f"pyarrow.Table({table.num_rows}, {table.num_columns}): {schema}"]
    first = min(table.num_rows, _ROWS // 2)
    last = max(first, table.num_rows - _ROWS // 2)
    lines += map(_row_text, table.slice(0, first).to_pylist())
    if last > first:
        lines.append(f"… {last - first} rows left out …")
    lines += map(_row_text, table.slice(last).to_pylist())
    return "\n".join(lines)


def _row_text(row):
    return ", ".join(str(value)[:_MAX_SHOWN] for value in row.values())


def _is(value, package, name):
    kind = getattr(modules.get(package), name, None)
    return isinstance(kind, type) and issubclass(type(value), kind)
