"""The names that every session starts with. A user may rebind them; they are no variables then.

`STARTERS` maps name to function. display and its kin are in `display`.
"""

import os
from sys import modules

from .csv_loading import load_csv
from .figures import set_matplotlib_formats
from .own_builtins import __builtins__  # noqa: F401
from .display import clear_output, display, update_display

_MAX_DESCRIBED = 200


def describe(frame):
    """One row per column of a DataFrame: dtype, missing, unique, min, max, mean, example."""
    import pandas

    if not isinstance(frame, pandas.DataFrame):
        frame = pandas.DataFrame(frame)
    rows = [_described(frame.iloc[:, i]) for i in range(min(frame.shape[1], _MAX_DESCRIBED))]
    names = list(frame.columns[:_MAX_DESCRIBED])
    return pandas.DataFrame(rows, index=pandas.Index(names, name="column"))


def _described(column):
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

    present = column.dropna()
    row = {"dtype": str(column.dtype), "missing": int(column.isna().sum())}
    try:
        row["unique"] = int(present.nunique())
    except TypeError:
        row["unique"] = None
    is_number = is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype)
    if len(present) and (is_number or is_datetime64_any_dtype(column.dtype)):
        row["min"], row["max"] = present.min(), present.max()
        row["mean"] = present.mean() if is_number else None
    row["example"] = present.iloc[0] if len(present) else None
    return row


def save_chart(figure=None, name="chart.png"):
    """Write a figure (default: the current one) as a picture into the workspace; returns the path.

    `figure` may also be an Axes, or the name when the current figure is meant. Without an
    extension the picture is a PNG.
    """
    if isinstance(figure, (str, os.PathLike)):
        figure, name = None, figure
    if figure is None:
        if "matplotlib.pyplot" not in modules or not modules["matplotlib.pyplot"].get_fignums():
            raise ValueError("there is no open figure to save; pass the figure as first argument")
        figure = modules["matplotlib.pyplot"].gcf()
    figure = figure if hasattr(figure, "savefig") else getattr(figure, "figure", figure)
    if not hasattr(figure, "savefig"):
        raise TypeError(f"save_chart needs a matplotlib figure, not {type(figure).__name__}")
    path = os.fspath(name)
    if not os.path.splitext(path)[1]:
        path += ".png"
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    figure.savefig(path, dpi=150, bbox_inches="tight")
    return path


STARTERS = {
    "load_csv": load_csv,
    "describe": describe,
    "save_chart": save_chart,
    "display": display,
    "update_display": update_display,
    "clear_output": clear_output,
    "set_matplotlib_formats": set_matplotlib_formats,
}
