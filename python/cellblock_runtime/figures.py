"""matplotlib figures as pictures: each open figure is shown once, in order, then closed.

matplotlib is looked up among the loaded modules and never imported to find out.
"""

import io
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

_MAX_PIXELS = 3000
_DPI = 100


class Picture:
    """A drawn figure: its PNG as an image and its chart data."""

    __slots__ = ("images", "chart")

    def __init__(self, png, chart):
        self.images = [("image/png", png)]
        self.chart = chart


class _Shown:
    """The figures shown in this execution and not changed since; cleared at its end."""

    def __init__(self):
        self.figures = []

    def add(self, figure):
        figure.stale = False
        if not any(known is figure for known in self.figures):
            self.figures.append(figure)

    def has(self, figure):
        return not figure.stale and any(known is figure for known in self.figures)


shown = _Shown()


def is_figure(value):
    """Whether the value is a matplotlib Figure."""
    module = modules.get("matplotlib.figure")
    kind = getattr(module, "Figure", None)
    return type(kind) is type and issubclass(type(value), kind)


def any_open():
    """Whether pyplot holds open figures."""
    return bool(_managers())


def open_figures():
    """pyplot's open figures, oldest first."""
    return [_managers()[number].canvas.figure for number in sorted(_managers())]


def close_all():
    """Close pyplot's figures; the Figure objects stay usable."""
    if _managers():
        modules["matplotlib._pylab_helpers"].Gcf.destroy_all()


def picture_of(figure):
    """Draw a figure; it counts as shown afterwards."""
    from . import charts

    picture = Picture(_png(figure), charts.chart_of(figure))
    shown.add(figure)
    return picture


def _png(figure):
    width, height = figure.get_size_inches()
    dpi = min(max(figure.get_dpi(), _DPI), _MAX_PIXELS / max(width, height, 0.01))
    target = io.BytesIO()
    try:
        figure.savefig(target, format="png", dpi=dpi, bbox_inches="tight")
    except (ValueError, RuntimeError):
        target = io.BytesIO()
        figure.savefig(target, format="png", dpi=dpi)
    return target.getvalue()


def _managers():
    helpers = modules.get("matplotlib._pylab_helpers")
    return helpers.Gcf.figs if helpers is not None else {}
