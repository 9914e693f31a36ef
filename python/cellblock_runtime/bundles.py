"""Values as MIME bundles: text always, and each richer format that the value offers.

A formatter that raises loses only its own format; an interrupt is passed on.
"""

import binascii
from sys import modules

from . import arrays, figures, libraries, tables
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .plain import plain
from .text import bounded_repr, cut, headed_repr, ids_of, type_name

_FORMATS = (
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_latex_", "text/latex"),
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_json_", "application/json"),
)
_JSON = "application/json"
_TEXT = "text/plain"
_SCALARS = ids_of(
    *(int, float, complex, bool, str, bytes, bytearray, list, tuple, dict, set, frozenset, range)
)


class Bundle:
    """One result: `mime` holds text and JSON, `images` (mime type, bytes) pairs, `notes` what had
    to be left out and why."""

    __slots__ = ("mime", "images", "chart", "notes")

    def __init__(self, mime, images=(), chart=None):
        self.mime = mime
        self.images = list(images)
        self.chart = chart
        self.notes = []


def text_of(value, limit):
    """The text/plain form, at most `limit` bytes."""
    text, error = attempt(_known_text, value, limit)
    if text is None:
        _pass_on(error)
        text, error = attempt(bounded_repr, value, limit)
    if error is not None:
        _pass_on(error)
        kind, reason = type_name(type(value)), type_name(type(error))
        return f"<{kind} object; its repr raised {reason}>"
    return cut(str.__str__(text), limit)


def _known_text(value, limit):
    """The text of the kinds that we know better than their repr does; None for all others."""
    return (
        headed_repr(value, limit)
        or tables.text_of(value, limit)
        or arrays.text_of(value)
        or libraries.text_of(value)
    )


def bundle_of(value, limit, include=None, exclude=None):
    """The Bundle of any value, or None if it has displayed itself (`_ipython_display_`).

    `include` and `exclude` name MIME types; text/plain is always there. To include
    application/json asks for the records of a table.
    """
    kind = type(value)
    if id(kind) in _SCALARS:
        return Bundle({_TEXT: text_of(value, limit)})
    formats = libraries.formats_of(value)
    if formats is None and hasattr(kind, "_ipython_display_"):
        _, error = attempt(value._ipython_display_)
        _pass_on(error)
        if error is None:
            return None
    bundle = Bundle({_TEXT: text_of(value, limit)})
    if figures.is_figure(value):
        _add_figure(bundle, value)
    elif formats is not None:
        _add_known(bundle, value, formats)
    else:
        _add_formats(bundle, value)
        if hasattr(kind, "_repr_mimebundle_"):
            _add_own_bundle(bundle, value, include, exclude)
    if include is not None and _JSON in include and tables.is_table(value):
        _try_add(bundle, _JSON, tables.records_of, value)
    _select(bundle, include, exclude)
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


def _select(bundle, include, exclude):
    if include is None and exclude is None:
        return

    def is_wanted(kind):
        is_included = include is None or kind in include or kind == _TEXT
        return is_included and (exclude is None or kind not in exclude or kind == _TEXT)

    bundle.mime = {kind: data for kind, data in bundle.mime.items() if is_wanted(kind)}
    bundle.images = [pair for pair in bundle.images if is_wanted(pair[0])]


def _add_figure(bundle, value):
    picture, error = attempt(figures.picture_of, value)
    _pass_on(error)
    if error is None:
        bundle.mime.update(picture.mime)
        bundle.images += picture.images
        bundle.chart = picture.chart
        _add_description(bundle)


def _add_description(bundle):
    """A chart's one line, for readers without eyes."""
    if bundle.chart is not None:
        bundle.mime[_TEXT] += "\n" + bundle.chart["description"]


def _add_known(bundle, value, formats):
    for mime, function in formats:
        if mime == "chart":
            bundle.chart, error = attempt(function, value)
            _pass_on(error)
            _add_description(bundle)
        else:
            _try_add(bundle, mime, function, value)


def _add_formats(bundle, value):
    kind = type(value)
    if issubclass(kind, type):
        return
    for method, mime in _FORMATS:
        if hasattr(kind, method) or (mime == "text/html" and tables.is_table(value)):
            _try_add(bundle, mime, _formatted, value, method)


def _formatted(value, method):
    if method == "_repr_html_" and tables.is_table(value):
        return tables.html_of(value)
    data = getattr(value, method)()
    return data[0] if type(data) is tuple else data


def _try_add(bundle, mime, function, *arguments):
    """Add what `function` gives, if it gives something; a format that fails is lost alone."""
    data, error = attempt(function, *arguments)
    _pass_on(error)
    if data is not None:
        _, error = attempt(_add, bundle, mime, data)
        _pass_on(error)
        if error is not None and mime.endswith("json") and type(error) is ValueError:
            bundle.notes.append(f"{mime}, {error}")


def _add_own_bundle(bundle, value, include, exclude):
    data, error = attempt(_own_bundle, value, include, exclude)
    _pass_on(error)
    for kind, item in data or ():
        _, error = attempt(_add, bundle, kind, item)
        _pass_on(error)


def _own_bundle(value, include, exclude):
    data = value._repr_mimebundle_(include=include, exclude=exclude)
    data = data[0] if type(data) is tuple else data
    return list(data.items())


def _add(bundle, mime, data):
    """Put one format into a bundle; what is not of the format's kind is dropped."""
    if type(mime) is not str:
        return
    if mime == _JSON or mime.endswith("+json"):
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
