"""The data of a plotly figure, in the same vocabulary as charts.chart_of gives for matplotlib."""

from .chart_values import axis_unit, described, series, value_of
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain

_MAX_TRACES = 200
_MAX_BARS = 1000
_SCALES = {"date": "datetime", "category": "categorical", "multicategory": "categorical"}


def chart_of(figure):
    """The chart dict of a plotly Figure, or None when it has no trace."""
    traces = list(figure.data)[:_MAX_TRACES]
    if not traces:
        return None
    layout = figure.layout
    title = layout.title.text or None
    panels = {}
    for trace in traces:
        panels.setdefault(_panel_of(trace), []).append(trace)
    charts = [_panel_chart(layout, place, group) for place, group in panels.items()]
    if len(charts) == 1:
        charts[0]["title"] = title
        return described(plain(charts[0]))
    charts = [described(plain(chart)) for chart in charts]
    return described({"type": "superchart", "title": title, "elements": charts})


def _panel_of(trace):
    """The axes of a trace: ("x", "y2"); pies have none, so each stands for itself."""
    if not hasattr(trace, "xaxis"):
        return (id(trace), None)
    return (trace.xaxis or "x", trace.yaxis or "y")


def _panel_chart(layout, place, traces):
    kind, elements = _elements(traces)
    chart = {"type": kind, "title": None}
    if place[1] is not None:
        for name, axis_name in zip("xy", place):
            axis = layout[f"{name}axis{axis_name[1:]}"]
            chart.update(_axis(name, axis, traces))
    chart["elements"] = elements
    return chart


def _axis(name, axis, traces):
    label = axis.title.text or None
    return {
        f"{name}_label": label,
        f"{name}_unit": axis_unit(label),
        f"{name}_ticks": [value_of(tick) for tick in _items(axis.tickvals)],
        f"{name}_tick_labels": [str(text) for text in _items(axis.ticktext)],
        f"{name}_scale": _SCALES.get(axis.type, axis.type) or _guessed_scale(name, traces),
    }


def _guessed_scale(name, traces):
    """What plotly itself would choose in the browser."""
    for trace in traces:
        values = _items(getattr(trace, name, None))
        if not values:
            continue
        if hasattr(values[0], "isoformat") or type(values[0]).__name__ == "datetime64":
            return "datetime"
        if type(values[0]) is str:
            return "categorical"
    return "linear"


def _elements(traces):
    for kind, types, elements_of in _KINDS:
        chosen = [trace for trace in traces if trace.type in types]
        if chosen:
            if kind == "scatter" and any(_has_line(trace) for trace in chosen):
                kind = "line"
            return kind, [element for trace in chosen for element in elements_of(trace)]
    return "unknown", []


def _has_line(trace):
    """Whether points are joined: by default plotly joins only a few."""
    if trace.mode is None:
        return len(_items(trace.x)) > 0
    return "lines" in trace.mode


def _pie_elements(trace):
    values = [float(value) for value in _items(trace.values)]
    labels = [str(label) for label in _items(trace.labels)]
    if not values:
        values = [1.0] * len(labels)
    total = sum(values) or 1.0
    labels += [str(number) for number in range(len(labels), len(values))]
    return [
        {"label": label, "angle": 360 * value / total, "radius": 1.0}
        for label, value in zip(labels, values)
    ][:_MAX_BARS]


def _box_elements(trace):
    is_upright = trace.orientation != "h"
    values = _items(trace.y if is_upright else trace.x)
    places = _items(trace.x if is_upright else trace.y)
    groups = {}
    if len(places) != len(values):
        groups[trace.name or ""] = values
    else:
        for place, value in zip(places, values):
            groups.setdefault(str(value_of(place)), []).append(value)
    return [_box(label, items) for label, items in list(groups.items())[:_MAX_TRACES] if items]


def _box(label, values):
    """Quartiles by linear interpolation, whiskers within 1.5 times their distance: plotly's own."""
    ordered = sorted(float(value) for value in values if value is not None and value == value)
    if not ordered:
        return {"label": label, "min": None, "max": None, "outliers": []}
    first, median, third = (_quantile(ordered, part) for part in (0.25, 0.5, 0.75))
    reach = 1.5 * (third - first)
    inside = [value for value in ordered if first - reach <= value <= third + reach]
    return {
        "label": label,
        "min": inside[0],
        "first_quartile": first,
        "median": median,
        "third_quartile": third,
        "max": inside[-1],
        "outliers": [value for value in ordered if not inside[0] <= value <= inside[-1]][:1000],
    }


def _quantile(ordered, part):
    place = min(max(part * len(ordered) - 0.5, 0), len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def _bar_elements(trace):
    is_upright = trace.orientation != "h"
    values = _items(trace.y if is_upright else trace.x)
    labels = _items(trace.x if is_upright else trace.y) or range(len(values))
    group = trace.name or ""
    return [
        {"label": str(value_of(label)), "group": group, "value": value_of(value)}
        for label, value in list(zip(labels, values))[:_MAX_BARS]
    ]


def _histogram_elements(trace):
    """The values themselves: plotly counts them into bins in the browser only."""
    values = _items(trace.x if trace.x is not None else trace.y)
    counts = {}
    for value in map(value_of, values):
        counts[value] = counts.get(value, 0) + 1
    group = trace.name or ""
    if len(counts) > 20 and all(type(value) is float for value in counts):
        counts = _binned(counts)
    return [
        {"label": value if type(value) is str else f"{value:g}", "group": group, "value": count}
        for value, count in counts.items()
    ][:_MAX_BARS]


def _binned(counts):
    low, high = min(counts), max(counts)
    width = (high - low) / 10
    bins = [0] * 10
    for value, count in counts.items():
        bins[min(int((value - low) / width), 9)] += count
    edges = [low + width * number for number in range(11)]
    return {f"{edges[i]:g} – {edges[i + 1]:g}": bins[i] for i in range(10)}


def _point_elements(trace):
    ys = _items(trace.y)
    xs = _items(trace.x) or range(len(ys))
    return [series(trace.name or "", zip(xs, ys))]


def _items(values):
    """A plain list; numpy arrays of dates stay datetime64."""
    if values is None:
        return []
    dtype = getattr(values, "dtype", None)
    return list(values) if dtype is None or dtype.kind == "M" else values.tolist()


_KINDS = (
    ("pie", ("pie", "sunburst", "funnelarea"), _pie_elements),
    ("box_and_whisker", ("box", "violin"), _box_elements),
    ("bar", ("bar", "funnel", "waterfall"), _bar_elements),
    ("bar", ("histogram",), _histogram_elements),
    ("scatter", ("scatter", "scattergl"), _point_elements),
)
