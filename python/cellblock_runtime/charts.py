"""The data of a matplotlib figure, in the vocabulary of code interpreters.

`chart_of(figure)` gives one chart, or a superchart of several axes. Elements hold plain values;
points beyond a bound are thinned out evenly and counted.
"""

from .chart_elements import (
    bar_elements,
    box_elements,
    date_text,
    image_elements,
    line_elements,
    pie_elements,
    scale_of,
    scatter_elements,
    step_elements,
)
from .chart_values import axis_unit, described
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain

_MAX_AXES = 30
_MAX_TICKS = 200
_KINDS = (
    ("pie", pie_elements),
    ("box_and_whisker", box_elements),
    ("bar", bar_elements),
    ("bar", step_elements),
    ("line", line_elements),
    ("scatter", scatter_elements),
    ("unknown", image_elements),
)


def chart_of(figure):
    """The chart dict of a figure, or None when it has nothing to tell."""
    axes = [one for one in figure.axes if one.get_label() != "<colorbar>"][:_MAX_AXES]
    charts = [chart for chart in map(_axes_chart, axes) if chart is not None]
    if not charts:
        return None
    if len(charts) == 1:
        return charts[0]
    title = figure._suptitle.get_text() if figure._suptitle is not None else None
    return described({"type": "superchart", "title": title, "elements": charts})


def _axes_chart(axes):
    kind, elements = _elements(axes)
    if not elements and not axes.has_data():
        return None
    chart = {"type": kind, "title": axes.get_title() or None}
    if kind != "pie":
        chart.update(_axis("x", axes.xaxis))
        chart.update(_axis("y", axes.yaxis))
    chart["elements"] = elements
    return described(plain(chart))


def _elements(axes):
    """(type, elements); what is drawn in three dimensions has no points in two."""
    for kind, elements_of in _KINDS if axes.name != "3d" else ():
        elements, error = attempt(elements_of, axes)
        if is_interrupt(error):
            raise error
        if elements:
            is_joined = kind != "line" or any(line.get_linestyle() != "None" for line in axes.lines)
            return kind if is_joined else "scatter", elements
    return "unknown", []


def _axis(name, axis):
    label = axis.get_label_text() or None
    scale = scale_of(axis)
    ticks = [float(tick) for tick in axis.get_majorticklocs()][:_MAX_TICKS]
    if scale == "datetime":
        ticks = [date_text(tick) for tick in ticks]
    return {
        f"{name}_label": label,
        f"{name}_unit": axis_unit(label),
        f"{name}_ticks": ticks,
        f"{name}_tick_labels": [text.get_text() for text in axis.get_majorticklabels()][
            :_MAX_TICKS
        ],
        f"{name}_scale": scale,
    }
