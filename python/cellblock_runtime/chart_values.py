"""What charts of all libraries share: points, units and the one-line description."""

import re

from .own_builtins import __builtins__  # noqa: F401

_MAX_POINTS = 1000
_UNIT = re.compile(r"[(\[]([^()\[\]]{1,40})[)\]]\s*$")


def axis_unit(label):
    """The unit in a label such as "mass (kg)", or None."""
    unit = _UNIT.search(label or "")
    return unit.group(1) if unit else None


def value_of(value):
    """A number, or text for dates and categories."""
    if value is None or type(value) is str:
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__name__ == "datetime64":
        return str(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)[:200]


def series(label, points):
    """{label, points}; beyond a bound the points are thinned out evenly and counted."""
    points = [[value_of(x), value_of(y)] for x, y in points]
    element = {"label": label, "points": points}
    if len(points) > _MAX_POINTS:
        step = len(points) / (_MAX_POINTS - 1)
        chosen = [points[int(i * step)] for i in range(_MAX_POINTS - 1)] + [points[-1]]
        element = {"label": label, "points": chosen, "omitted_points": len(points) - len(chosen)}
    return element


def described(chart):
    """The chart with its `description`, one line: what kind of chart of what, and how much."""
    if chart["type"] == "superchart":
        parts = "; ".join(one["description"] for one in chart["elements"])
        words = [f"{len(chart['elements'])} charts"]
        words += [f'"{chart["title"]}"'] if chart["title"] else []
        chart["description"] = _one_line(f"{' '.join(words)}: {parts}", 1000)
        return chart
    kind = chart["type"].replace("_", " ")
    words = ["chart" if kind == "unknown" else f"{kind} chart"]
    if chart["title"]:
        words.append(f'"{chart["title"]}"')
    labels = [chart.get(f"{name}_label") for name in "yx"]
    if all(labels):
        words.append(f"of {labels[0]} by {labels[1]}")
    chart["description"] = _one_line(" ".join(words + _amounts(chart)), 500)
    return chart


def _amounts(chart):
    elements = chart["elements"]
    if chart["type"] in ("line", "scatter"):
        points = [point for one in elements for point in one["points"]]
        count = len(points) + sum(one.get("omitted_points", 0) for one in elements)
        return [f"with {len(elements)} series, {count} points"] + _range([y for _, y in points])
    if not elements:
        return []
    values = [one.get("value") for one in elements]
    if chart["type"] == "unknown":
        shapes = [" × ".join(map(str, one["shape"])) for one in elements[:5]]
        values = [one[name] for one in elements for name in ("min", "max")]
        return [f"with an image of {' and '.join(shapes)} values"] + _range(values)
    if chart["type"] == "box_and_whisker":
        values = [one.get(name) for one in elements for name in ("min", "max")]
    return [f"with {len(elements)} elements"] + _range(values)


def _range(values):
    numbers = [value for value in values if type(value) in (int, float) and value == value]
    return [f"from {min(numbers):g} to {max(numbers):g}"] if numbers else []


def _one_line(text, limit):
    return " ".join(text.split())[:limit]
