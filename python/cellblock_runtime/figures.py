"""matplotlib figures as pictures: each open figure is shown once, in order, then closed.

matplotlib is looked up among the loaded modules and never imported to find out.
"""

import io
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

_MAX_PIXELS = 3000
_DPI = 100
_DEFAULT = ("png",)
_MIME = {
    "png": "image/png",
    "retina": "image/png",
    "jpeg": "image/jpeg",
    "svg": "image/svg+xml",
    "sixel": "image/x-sixel",
}
_OTHER_NAMES = {"jpg": "jpeg", "png2x": "retina"}


class Formats:
    """In which formats figures are shown: the session's own choice, else the policy's."""

    names = default = _DEFAULT


def set_matplotlib_formats(*formats):
    """Choose how figures are shown from now on: "png", "retina" (twice the pixels), "svg", "jpeg".

    Several may be given; without any it is again what it was at first. "sixel" is for terminals.
    """
    Formats.names = _checked(formats) or Formats.default


def set_default_formats(text):
    """What a session starts with: formats with commas between them; nothing or nonsense is png."""
    try:
        Formats.default = _checked((text or "").replace(" ", "").split(",")) or _DEFAULT
    except ValueError:
        Formats.default = _DEFAULT


def _checked(formats):
    names = [_OTHER_NAMES.get(name, name) for name in formats if name]
    for name in names:
        if name not in _MIME:
            raise ValueError(f"there is no format {name!r}; there are: {', '.join(_MIME)}")
    return tuple(dict.fromkeys(names))


class Picture:
    """A drawn figure: its images, SVG among `mime`, and its chart data."""

    __slots__ = ("mime", "images", "chart")

    def __init__(self, chart):
        self.mime = {}
        self.images = []
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

    picture = Picture(None)
    for name in Formats.names:
        data = _drawn(figure, name)
        if name == "svg":
            picture.mime[_MIME[name]] = data.decode("utf-8", "replace")
        else:
            picture.images.append((_MIME[name], data))
    picture.chart = charts.chart_of(figure)
    shown.add(figure)
    return picture


def _drawn(figure, name):
    """A figure's picture as bytes; tight around what is drawn where that works."""
    if name == "sixel":
        from .sixel import sixel_of

        return sixel_of(figure)
    options = {"format": "png" if name == "retina" else name}
    if name != "svg":
        options["dpi"] = _dpi(figure, 2 if name == "retina" else 1)
    for bounds in ({"bbox_inches": "tight"}, {}):
        target = io.BytesIO()
        try:
            figure.savefig(target, **options, **bounds)
            return target.getvalue()
        except (ValueError, RuntimeError):
            if not bounds:
                raise


def _dpi(figure, scale):
    """What the figure asks for, readable at least, and a picture of bounded size."""
    width, height = figure.get_size_inches()
    most = scale * _MAX_PIXELS / max(width, height, 0.01)
    return min(scale * max(figure.get_dpi(), _DPI), most)


def _managers():
    helpers = modules.get("matplotlib._pylab_helpers")
    return helpers.Gcf.figs if helpers is not None else {}
