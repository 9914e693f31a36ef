"""Describers for the exact types of polars and pyarrow (see value_kinds).

Of a polars object only the compiled frame inside it is asked; pyarrow's types are compiled.
"""

from .own_builtins import __builtins__  # noqa: F401
from .value_kinds_pandas import frame_detail, series_detail

_MAX_COLUMNS = 200
_getattribute = object.__getattribute__


def polars_describers(polars):
    """{type: (stamp, structure, summary, detail)}."""
    return {
        polars.DataFrame: (_frame_stamp, _frame_structure, _frame_summary, frame_detail),
        polars.Series: (_series_stamp, _series_structure, _series_summary, series_detail),
    }


def arrow_describers(pyarrow):
    """The same for pyarrow's tables."""
    return {pyarrow.Table: (_table_stamp, _table_structure, _table_summary, frame_detail)}


def _frame_stamp(value):
    try:
        return (id(value), _getattribute(value, "_df").shape())
    except Exception:
        return (id(value), None)


def _frame_structure(value):
    try:
        frame = _getattribute(value, "_df")
        rows, width = frame.shape()
        names, dtypes = frame.columns()[:_MAX_COLUMNS], frame.dtypes()[:_MAX_COLUMNS]
        return rows, width, dict(zip(names, map(str, dtypes)))
    except Exception:
        return None


def _frame_summary(value, structure):
    return "DataFrame" if structure is None else f"DataFrame({structure[0]}, {structure[1]})"


def _series_stamp(value):
    try:
        return (id(value), _getattribute(value, "_s").len())
    except Exception:
        return (id(value), None)


def _series_structure(value):
    try:
        series = _getattribute(value, "_s")
        return series.len(), str(series.dtype())
    except Exception:
        return None


def _series_summary(value, structure):
    return "Series" if structure is None else f"Series({structure[0]}) {structure[1]}"


def _table_stamp(value):
    return (id(value), value.num_rows, value.num_columns)


def _table_structure(value):
    schema = value.schema
    fields = [schema.field(place) for place in range(min(value.num_columns, _MAX_COLUMNS))]
    names = {field.name: str(field.type) for field in fields}
    return value.num_rows, value.num_columns, names


def _table_summary(value, structure):
    return f"Table({structure[0]}, {structure[1]})"
