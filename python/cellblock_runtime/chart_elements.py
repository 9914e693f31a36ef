"""What is drawn on one matplotlib Axes, as the elements of a chart.

Each function returns a list, empty when the Axes holds nothing of its kind.
"""

from math import isclose

from .chart_values import series
from .own_builtins import __builtins__  # noqa: F401

_MAX_POINTS = 1000
_MAX_ELEMENTS = 200


def _label(artist, default=""):
    text = artist.get_label()
    return text if type(text) is str and text and not text.startswith("_") else default


def line_elements(axes):
    """{label, points} of each line with data."""
    lines = [line for line in axes.lines if len(line.get_xdata(orig=True)) > 0]
    # Error bars and stems bear the label that their line should have.
    named = {id(one[0]): _label(one) for one in axes.containers if len(one) and _label(one)}
    return [
        series(
            _label(line) or named.get(id(line), f"line {number}"),
            zip(_data(line.get_xdata(orig=True)), _data(line.get_ydata(orig=True))),
        )
        for number, line in enumerate(lines[:_MAX_ELEMENTS], 1)
    ]


def _data(values):
    """A plain list of an array's items; dates stay datetime64."""
    dtype = getattr(values, "dtype", None)
    return list(values) if dtype is None or dtype.kind == "M" else values.tolist()


def scatter_elements(axes):
    """{label, points} of each scatter collection."""
    # Contours are of the same type, without sizes.
    found = [one for one in axes.collections if type(one).__name__ == "PathCollection"]
    found = [one for one in found if len(one.get_sizes())]
    xs, ys = _values_on(axes.xaxis), _values_on(axes.yaxis)
    return [
        series(
            _label(one, f"points {number}"), [(xs(x), ys(y)) for x, y in one.get_offsets().tolist()]
        )
        for number, one in enumerate(found[:_MAX_ELEMENTS], 1)
    ]


def scale_of(axis):
    """matplotlib's name of the scale; what converts dates and categories is one of its own."""
    # matplotlib 3.10 has the method, older ones the attribute.
    converter = axis.get_converter() if hasattr(axis, "get_converter") else axis.converter
    converter = type(converter).__name__
    if "Category" in converter:
        return "categorical"
    is_of_dates = any(word in converter for word in ("Date", "Time", "Period"))
    return "datetime" if is_of_dates else axis.get_scale()


def date_text(number):
    """ISO text of matplotlib's number for a date."""
    from matplotlib.dates import num2date

    return num2date(number).replace(tzinfo=None).isoformat()


def _values_on(axis):
    """What turns positions on an axis back into dates or names of categories."""
    scale = scale_of(axis)
    if scale == "datetime":
        return date_text
    if scale == "categorical":
        names = _tick_names(axis)
        return lambda place: names.get(round(place, 6), place)
    return lambda place: place


def step_elements(axes):
    """{label, group, value} of each bin of a histogram that was drawn as one outline."""
    elements = []
    outlines = [patch for patch in axes.patches if type(patch).__name__ == "Polygon"]
    for number, outline in enumerate(outlines, 1):
        group = _label(outline) or (f"group {number}" if len(outlines) > 1 else "")
        corners = outline.get_xy().tolist()
        base = corners[0][1]
        for (low, top), (high, other) in zip(corners, corners[1:]):
            if top == other != base and low < high:
                elements.append({"label": f"{low:g} – {high:g}", "group": group, "value": top})
    return elements[:_MAX_POINTS]


def image_elements(axes):
    """{label, shape, min, max} of each image or heat map."""
    elements = []
    for one in list(axes.images) + [c for c in axes.collections if type(c).__name__ == "QuadMesh"]:
        values = one.get_array()
        shape = list(getattr(one, "_coordinates", values).shape[:2])
        if type(one).__name__ == "QuadMesh":
            shape = [side - 1 for side in shape]
        label = _label(one, f"image {len(elements) + 1}")
        low, high = float(values.min()), float(values.max())
        elements.append({"label": label, "shape": shape, "min": low, "max": high})
    return elements[:_MAX_ELEMENTS]


def bar_elements(axes):
    """{label, group, value} of each bar; a histogram's label is its bin."""
    elements = []
    containers = [one for one in axes.containers if type(one).__name__ == "BarContainer"]
    for number, container in enumerate(containers, 1):
        group = _label(container) or (f"group {number}" if len(containers) > 1 else "")
        is_upright = getattr(container, "orientation", "vertical") != "horizontal"
        ticks = _tick_names(axes.xaxis if is_upright else axes.yaxis)
        spans = [_span(bar, is_upright) for bar in container.patches]
        is_histogram = len(spans) > 1 and all(
            isclose(one[1], other[0], abs_tol=1e-12) for one, other in zip(spans, spans[1:])
        )
        for bar, (low, high) in zip(container.patches, spans):
            value = bar.get_height() if is_upright else bar.get_width()
            center = (low + high) / 2
            name = ticks.get(round(center, 6))
            if name is None:
                name = f"{low:g} – {high:g}" if is_histogram else f"{center:g}"
            elements.append({"label": name, "group": group, "value": float(value)})
    return elements[:_MAX_POINTS]


def _span(bar, is_upright):
    start, size = (bar.get_x(), bar.get_width()) if is_upright else (bar.get_y(), bar.get_height())
    return start, start + size


def _tick_names(axis):
    """{position: label} of an axis with categories or labels of the user's own."""
    if type(axis.get_major_formatter()).__name__ not in ("StrCategoryFormatter", "FixedFormatter"):
        if type(axis.get_major_formatter()).__name__ != "FuncFormatter":
            return {}
    names = [text.get_text() for text in axis.get_majorticklabels()]
    return {round(float(at), 6): name for at, name in zip(axis.get_majorticklocs(), names) if name}


def pie_elements(axes):
    """{label, angle, radius} of each wedge."""
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    return [
        {
            "label": _label(wedge),
            "angle": round(float(abs(wedge.theta2 - wedge.theta1)), 4),
            "radius": float(wedge.r),
        }
        for wedge in wedges[:_MAX_ELEMENTS]
    ]


def box_elements(axes):
    """{label, min, quartiles, median, max, outliers} of each box that boxplot() drew."""
    lines = [_vertices(line) for line in axes.lines if line.get_linestyle() != "None"]
    marks = [_vertices(line) for line in axes.lines if line.get_linestyle() == "None"]
    boxes = [points for points in lines if len(points) >= 5 and points[0] == points[-1]]
    for patch in axes.patches:
        if type(patch).__name__ == "PathPatch":
            points = [tuple(point) for point in patch.get_path().vertices.tolist()]
            boxes.append(points)
    boxes = [points for points in boxes if _is_box(points)]
    upright = _are_upright(boxes, lines)
    if upright is None:
        return []
    ticks = _tick_names(axes.xaxis if upright else axes.yaxis)
    return [_box(points, lines, marks, upright, ticks) for points in boxes[:_MAX_ELEMENTS]]


def _vertices(line):
    return list(zip(map(float, line.get_xdata()), map(float, line.get_ydata())))


def _is_box(points):
    return len({x for x, _ in points}) in (2, 4) and len({y for _, y in points}) in (2, 5)


def _center(values):
    return (min(values) + max(values)) / 2


def _are_upright(boxes, lines):
    """Whiskers tell the direction: two points outside a box, at its middle. None: no box plot."""
    for upright in (True, False):
        for box in boxes:
            middle = _center([point[not upright] for point in box])
            low, high = min(point[upright] for point in box), max(point[upright] for point in box)
            for line in lines:
                is_centered = all(isclose(point[not upright], middle) for point in line)
                ends = [point[upright] for point in line]
                if len(line) == 2 and is_centered and (max(ends) <= low or min(ends) >= high):
                    return upright
    return None


def _box(points, lines, marks, upright, ticks):
    def turned(vertices):
        return vertices if upright else [(y, x) for x, y in vertices]

    across = [x for x, _ in turned(points)]
    along = [y for _, y in turned(points)]
    middle, low, high = _center(across), min(along), max(along)
    whiskers, median, widest, outliers = [low, high], None, 0.0, []
    for line in map(turned, lines):
        xs, ys = [x for x, _ in line], [y for _, y in line]
        if len(line) != 2 or not isclose(_center(xs), middle):
            continue
        if xs[0] == xs[1] and ys[0] != ys[1]:
            whiskers += ys
        elif ys[0] == ys[1] and low <= ys[0] <= high and abs(xs[0] - xs[1]) > widest:
            median, widest = ys[0], abs(xs[0] - xs[1])
    for mark in map(turned, marks):
        if mark and all(isclose(x, middle) for x, _ in mark):
            outliers += [y for _, y in mark if y < min(whiskers) or y > max(whiskers)]
    return {
        "label": ticks.get(round(middle, 6), f"{middle:g}"),
        "min": min(whiskers),
        "first_quartile": low,
        "median": median,
        "third_quartile": high,
        "max": max(whiskers),
        "outliers": outliers[:_MAX_POINTS],
    }
