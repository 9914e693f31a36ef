"""The data of a matplotlib figure, in the vocabulary of code interpreters.

`chart_of(figure)` gives one chart, or a superchart of several axes. Elements hold plain values;
points beyond a bound are thinned out evenly and counted.
"""

from .chart_elements import bar_elements, box_elements, line_elements, pie_elements
from .chart_elements import scatter_elements
from .chart_values import axis_unit, described
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain

_MAX_AXES = 30
_KINDS = (
    ("pie", pie_elements),
    ("box_and_whisker", box_elements),
    ("bar", bar_elements),
    ("line", line_elements),
    ("scatter", scatter_elements),
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
    for kind, elements_of in _KINDS:
        elements, error = attempt(elements_of, axes)
        if is_interrupt(error):
            raise error
        if elements:
            break
    else:
        if not axes.has_data():
            return None
        kind, elements = "unknown", []
    chart = {"type": kind, "title": axes.get_title() or None}
    if kind != "pie":
        chart.update(_axis("x", axes.xaxis))
        chart.update(_axis("y", axes.yaxis))
    chart["elements"] = elements
    return described(plain(chart))


def _axis(name, axis):
    label = axis.get_label_text() or None
    ticks = [float(tick) for tick in axis.get_majorticklocs()][:200]
    return {
        f"{name}_label": label,
        f"{name}_unit": axis_unit(label),
        f"{name}_ticks": ticks,
        f"{name}_tick_labels": [text.get_text() for text in axis.get_majorticklabels()][:200],
        f"{name}_scale": _scale(axis),
    }


def _scale(axis):
    """matplotlib's name of the scale; what converts dates and categories is one of its own."""
    converter = type(getattr(axis, "converter", None) or getattr(axis, "_converter", None)).__name__
    if "Category" in converter:
        return "categorical"
    is_of_dates = any(word in converter for word in ("Date", "Time", "Period"))
    return "datetime" if is_of_dates else axis.get_scale()
