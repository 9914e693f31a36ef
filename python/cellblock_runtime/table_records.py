"""Columns of values as JSON records: bounded, and with null for everything that is no value."""

from .own_builtins import __builtins__  # noqa: F401
from .plain import plain
from .text import ids_of

_MAX_CELLS = 20_000
_MAX_TEXT = 1000
_PLAIN = ids_of(bool, int, float, str, list, dict, tuple)


def records_from(columns, values, rows):
    """{columns [{name, dtype}], records [{name: value}], rows, omitted_rows}.

    `columns`: (name, dtype) pairs; `values`: a list for each column; `rows`: how many there are.
    """
    names = _unique([name for name, _ in columns])
    most = max(_MAX_CELLS // max(len(columns), 1), 1)
    lists = [[_value(item) for item in column[:most]] for column in values]
    records = [dict(zip(names, row)) for row in zip(*lists)]
    return {
        "columns": [{"name": name, "dtype": dtype} for name, (_, dtype) in zip(names, columns)],
        "records": records,
        "rows": rows,
        "omitted_rows": rows - len(records),
    }


def _unique(names):
    """The names, the second of the same name as "name.1"."""
    seen, result = set(), []
    for name in names:
        number, unique = 0, name
        while unique in seen:
            number += 1
            unique = f"{name}.{number}"
        seen.add(unique)
        result.append(unique)
    return result


def _value(item):
    """JSON for one value: dates as ISO text; NaN, NaT and NA as null; the rest as short text."""
    kind = type(item)
    if item is None or kind.__name__ in ("NaTType", "NAType"):
        return None
    if id(kind) in _PLAIN:
        shown = plain(item)
        return shown[:_MAX_TEXT] if type(shown) is str else shown
    if hasattr(kind, "isoformat"):
        return item.isoformat()
    if hasattr(kind, "item") and kind.__module__ == "numpy":
        return _value(item.item())
    return str(item)[:_MAX_TEXT]
