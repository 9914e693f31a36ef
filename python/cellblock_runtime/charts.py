"""The data of a matplotlib figure, in the vocabulary of code interpreters.

`chart_of(figure)` gives one chart, or a superchart of several axes. Elements hold plain values;
points beyond a bound are thinned out evenly and counted.
"""

import re

from .chart_elements import bar_elements, box_elements, line_elements, pie_elements
from .chart_elements import scatter_elements
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain

_MAX_AXES = 30
_UNIT = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]\s*$")
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
    parts = "; ".join(chart["description"] for chart in charts)
    description = f"{len(charts)} charts: {parts}"[:1000]
    return {"type": "superchart", "title": title, "elements": charts, "description": description}


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
    chart["description"] = _description(chart)
    return plain(chart)


def _axis(name, axis):
    label = axis.get_label_text() or None
    unit = _UNIT.search(label or "")
    ticks = [float(tick) for tick in axis.get_majorticklocs()][:200]
    return {
        f"{name}_label": label,
        f"{name}_unit": unit.group(1) if unit else None,
        f"{name}_ticks": ticks,
        f"{name}_tick_labels": [text.get_text() for text in axis.get_majorticklabels()][:200],
        f"{name}_scale": axis.get_scale(),
    }


def _description(chart):
    """One line: what kind of chart of what, and how much of it."""
    words = [chart["type"].replace("_", " ") + " chart"]
    if chart["title"]:
        words.append(f'"{chart["title"]}"')
    labels = [chart.get(f"{name}_label") for name in "yx"]
    if all(labels):
        words.append(f"of {labels[0]} by {labels[1]}")
    elements = chart["elements"]
    if chart["type"] in ("line", "scatter"):
        points = sum(len(one["points"]) for one in elements)
        words.append(f"with {len(elements)} series, {points} points")
    elif elements:
        words.append(f"with {len(elements)} elements")
    values = [one["value"] for one in elements if one.get("value") is not None]
    if values:
        words.append(f"from {min(values):g} to {max(values):g}")
    return " ".join(words)[:500]
