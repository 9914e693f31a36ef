"""pandas objects as text, HTML and records: all columns, few rows, the shape told.

pandas is looked up among the loaded modules and never imported to find out.
"""

import textwrap
from sys import modules

from . import other_tables
from .own_builtins import __builtins__  # noqa: F401
from .table_records import records_from
from .text import cut

_MAX_WIDTH_OF_VALUE = 50
_MAX_CELLS = 20_000
_MAX_COLUMNS = 100
_MAX_HTML_COLUMNS = 200
_MAX_RECORDS = 1000
_MAX_NAME = 100
_GROUPED_FROM = 10


class Layout:
    """How wide the lines of a table are."""

    line_width = 120


def set_line_width(columns):
    """As in the variable COLUMNS; nothing or nonsense: 120."""
    is_number = type(columns) is str and columns.isascii() and columns.isdigit()
    Layout.line_width = min(max(int(columns[:6]), 40), 1000) if is_number and columns else 120


def is_table(value):
    """Whether the value is a DataFrame or Series (or of a subclass), of pandas or another kind."""
    return _is_frame(value) or _is_series(value) or other_tables.is_table(value)


def text_of(value, limit):
    """The text of a frame, at most `limit` characters; None for anything else."""
    if not _is_frame(value):
        return other_tables.text_of(value)
    options = modules["pandas"].options.display
    length, width = value.shape
    shown = _rows_shown(value, options)
    table = value.to_string(
        max_rows=shown,
        max_cols=_MAX_COLUMNS if width > _MAX_COLUMNS else None,
        line_width=Layout.line_width - 2,  # and the mark that the line goes on
        max_colwidth=options.max_colwidth or _MAX_WIDTH_OF_VALUE,
        show_dimensions=False,
    )
    if not width:
        return table
    facts = f"[{length} rows x {width} columns"
    if length > shown:
        facts += f", {length - shown} rows left out"
    end = _wrapped(f"{facts}: {_columns(value, limit // 2)}]")
    return f"{cut(table, max(limit - len(end) * 4 - 2, limit // 3))}\n\n{end}"


def html_of(value):
    """The HTML table of a frame or series, with the same bounds."""
    if other_tables.is_table(value):
        return other_tables.html_of(value)
    if _is_series(value):
        value = value.to_frame()
    pandas = modules["pandas"]
    columns = min(value.shape[1], _MAX_HTML_COLUMNS)
    rows = _rows_shown(value, pandas.options.display)
    with pandas.option_context("display.max_columns", columns, "display.min_rows", rows):
        return value._repr_html_()


def records_of(value):
    """The first rows as JSON: {columns, records, rows, omitted_rows}."""
    if other_tables.is_table(value):
        return records_from(*other_tables.columns_of(value, _MAX_RECORDS), len(value))
    length = len(value)
    frame = value.head(_MAX_RECORDS)
    if _is_series(frame):
        frame = frame.to_frame()
    if type(frame.index) is not modules["pandas"].RangeIndex:
        frame = frame.reset_index(allow_duplicates=True)
    columns = [(str(name), str(dtype)) for name, dtype in zip(frame.columns, frame.dtypes)]
    values = [frame.iloc[:, position].tolist() for position in range(frame.shape[1])]
    return records_from(columns, values, length)


def _rows_shown(value, options):
    length, width = value.shape
    rows = max(min(options.max_rows or 60, _MAX_CELLS // max(width, 1)), 2)
    return min(rows, options.min_rows or 10) if length > rows else length


def _columns(frame, limit):
    """All names with their dtypes; many are grouped by dtype."""
    names = [str(name)[:_MAX_NAME] for name in frame.columns]
    dtypes = [str(dtype) for dtype in frame.dtypes]
    if len(names) < _GROUPED_FROM:
        text = ", ".join(f"{name} {dtype}" for name, dtype in zip(names, dtypes))
    else:
        groups = {}
        for name, dtype in zip(names, dtypes):
            groups.setdefault(dtype, []).append(name)
        text = "; ".join(f"{dtype}: {', '.join(group)}" for dtype, group in groups.items())
    return cut(text, limit)


def _wrapped(text):
    return textwrap.fill(text, Layout.line_width, break_long_words=False, break_on_hyphens=False)


def _is_frame(value):
    kind = _class("DataFrame")
    return kind is not None and issubclass(type(value), kind)


def _is_series(value):
    kind = _class("Series")
    return kind is not None and issubclass(type(value), kind)


def _class(name):
    kind = getattr(modules.get("pandas"), name, None)
    return kind if type(kind) is type else None
