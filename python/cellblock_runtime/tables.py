"""pandas objects as text and HTML: all columns, few rows, the shape told.

pandas is looked up among the loaded modules and never imported to find out.
"""

from sys import modules

from .own_builtins import __builtins__  # noqa: F401

_LINE_WIDTH = 120
_MAX_CELLS = 20_000
_MAX_HTML_COLUMNS = 200


def is_table(value):
    """Whether the value is a DataFrame (or of a subclass)."""
    kind = _frame_class()
    return kind is not None and issubclass(type(value), kind)


def text_of(value):
    """The text of a DataFrame; None for anything else."""
    if not is_table(value):
        return None
    options = modules["pandas"].options.display
    most = options.max_rows or 60
    columns = value.shape[1]
    rows = max(min(most, _MAX_CELLS // max(columns, 1)), 2)
    if len(value) > rows:
        rows = min(rows, options.min_rows or 10)
    return value.to_string(
        max_rows=rows,
        line_width=_LINE_WIDTH,
        show_dimensions=len(value) > rows or columns > 20,
    )


def html_of(value):
    """The HTML table of a DataFrame."""
    pandas = modules["pandas"]
    columns = min(value.shape[1], _MAX_HTML_COLUMNS)
    with pandas.option_context("display.max_columns", columns):
        return value._repr_html_()


def _frame_class():
    pandas = modules.get("pandas")
    kind = getattr(pandas, "DataFrame", None)
    return kind if type(kind) is type else None
