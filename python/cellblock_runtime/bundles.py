"""Values as MIME bundles: text always, and each richer format that the value offers.

A formatter that raises loses only its own format; an interrupt is passed on.
"""

import binascii
from sys import modules

from . import figures, tables
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain
from .text import bounded_repr, cut, type_name

_TEXT_FORMATS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_latex_", "text/latex"),
)
_IMAGE_FORMATS = (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg"))
_SCALARS = frozenset(
    (int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, range)
)


class Bundle:
    """One result: `mime` holds text and JSON, `images` (mime type, bytes) pairs."""

    __slots__ = ("mime", "images", "chart")

    def __init__(self, mime, images=(), chart=None):
        self.mime = mime
        self.images = list(images)
        self.chart = chart


def text_of(value, limit):
    """The text/plain form, at most `limit` bytes."""
    text, error = attempt(tables.text_of, value)
    if text is None:
        _pass_on(error)
        text, error = attempt(bounded_repr, value, limit)
    if error is not None:
        _pass_on(error)
        kind, reason = type_name(type(value)), type_name(type(error))
        return f"<{kind} object; its repr raised {reason}>"
    return cut(str.__str__(text), limit)


def bundle_of(value, limit):
    """The Bundle of any value, or None if it has displayed itself (`_ipython_display_`)."""
    kind = type(value)
    if kind in _SCALARS:
        return Bundle({"text/plain": text_of(value, limit)})
    if hasattr(kind, "_ipython_display_"):
        _, error = attempt(value._ipython_display_)
        _pass_on(error)
        if error is None:
            return None
    bundle = Bundle({"text/plain": text_of(value, limit)})
    if figures.is_figure(value):
        _add_figure(bundle, value)
    else:
        _add_formats(bundle, value)
    if hasattr(kind, "_repr_mimebundle_"):
        _add_own_bundle(bundle, value)
    return bundle


def bundle_of_mime(data):
    """The Bundle of a ready `{mime type: data}` mapping."""
    bundle = Bundle({})
    for kind, item in data.items():
        _add(bundle, kind, item)
    return bundle


def _pass_on(error):
    if is_interrupt(error):
        raise error


def _add_figure(bundle, value):
    picture, error = attempt(figures.picture_of, value)
    _pass_on(error)
    if error is None:
        bundle.images += picture.images
        bundle.chart = picture.chart


def _add_formats(bundle, value):
    kind = type(value)
    for method, mime in _TEXT_FORMATS + _IMAGE_FORMATS + (("_repr_json_", "application/json"),):
        if hasattr(kind, method) and not issubclass(kind, type):
            data, error = attempt(_formatted, value, method)
            _pass_on(error)
            if data is not None:
                _, error = attempt(_add, bundle, mime, data)
                _pass_on(error)


def _formatted(value, method):
    if method == "_repr_html_" and tables.is_table(value):
        return tables.html_of(value)
    data = getattr(value, method)()
    return data[0] if type(data) is tuple else data


def _add_own_bundle(bundle, value):
    data, error = attempt(_own_bundle, value)
    _pass_on(error)
    for kind, item in data or ():
        _, error = attempt(_add, bundle, kind, item)
        _pass_on(error)


def _own_bundle(value):
    data = value._repr_mimebundle_(include=None, exclude=None)
    data = data[0] if type(data) is tuple else data
    return list(data.items())


def _add(bundle, mime, data):
    """Put one format into a bundle; what is not of the format's kind is dropped."""
    if type(mime) is not str:
        return
    if mime == "application/json" or mime.endswith("+json"):
        bundle.mime[mime] = plain(data)
    elif mime.startswith("image/") and mime != "image/svg+xml":
        if isinstance(data, str):
            data = binascii.a2b_base64(data)
        bundle.images.append((mime, bytes(data)))
    elif isinstance(data, str):
        bundle.mime[mime] = str.__str__(data)


def has_drawn_figures():
    """Whether pyplot holds open figures; cheap when matplotlib is not loaded."""
    return "matplotlib._pylab_helpers" in modules and figures.any_open()
