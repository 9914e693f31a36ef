"""What the plotting and document libraries' objects look like: PIL, plotly, altair, bokeh, Styler.

Each would otherwise open a browser or a viewer, need IPython, or say nothing in its repr. A library
is found by the class of a value and never imported to find out.
"""

import io
import json
from sys import modules

from . import plotly_charts
from .own_builtins import __builtins__  # noqa: F401

_mro_of = type.__dict__["__mro__"].__get__
_module_of = type.__dict__["__module__"].__get__
_MAX_SIDE = 2000


class _Library:
    """One class of a library: how it is shown. `formats`: (MIME type or "chart", function)."""

    def __init__(self, module, name, text, formats):
        self.module = module
        self.name = name
        self.text = text
        self.formats = formats

    def is_kind_of(self, kind):
        found = getattr(modules.get(self.module), self.name, None)
        return isinstance(found, type) and issubclass(kind, found)


def text_of(value):
    """The text of a library's object; None for anything else."""
    library = _library_of(value)
    return library.text(value) if library is not None else None


def formats_of(value):
    """[(MIME type or "chart", function of the value)], or None for anything else."""
    library = _library_of(value)
    return library.formats if library is not None else None


def _library_of(value):
    kind = type(value)
    for base in _mro_of(kind):
        module = _module_of(base)
        if type(module) is not str:
            continue
        for library in _LIBRARIES.get(module.partition(".")[0], ()):
            if library.is_kind_of(kind):
                return library
    return None


def _image_text(image):
    width, height = image.size
    smaller = f", shown at most {_MAX_SIDE} pixels wide and high" if _is_large(image) else ""
    return f"<PIL image, {width} × {height} pixels, {image.mode}{smaller}>"


def _is_large(image):
    return max(image.size) > _MAX_SIDE


def _image_png(image):
    if image.mode not in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        image = image.convert("RGB")
    if _is_large(image):
        image = image.convert("RGBA" if "A" in image.mode else "RGB")
        image.thumbnail((_MAX_SIDE, _MAX_SIDE))
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def _styler_text(styler):
    from . import tables
    from .results import Limits

    return tables.text_of(styler.data, Limits.max_text_bytes)


def _plotly_text(figure):
    return f"<plotly figure, {len(figure.data)} traces>"


def _plotly_json(figure):
    return json.loads(figure.to_json())


def _plotly_html(figure):
    return figure.to_html(full_html=False, include_plotlyjs="cdn")


def _altair_text(chart):
    return f"<altair {type(chart).__name__}>"


def _altair_json(chart):
    return chart.to_dict()


def _altair_html(chart):
    return chart.to_html(fullhtml=False, output_div=f"altair-{id(chart):x}")


def _bokeh_text(model):
    return f"<bokeh {type(model).__name__}>"


def _bokeh_html(model):
    from bokeh.embed import file_html
    from bokeh.resources import CDN

    return file_html(model, CDN)


def _bokeh_json(model):
    from bokeh.embed import json_item

    return json_item(model)


def _own_html(value):
    return value._repr_html_()


_PLOTLY = "application/vnd.plotly.v1+json"
_VEGALITE = "application/vnd.vegalite+json"
_BOKEH = "application/vnd.bokeh.item+json"
_LIBRARIES = {
    "PIL": [_Library("PIL.Image", "Image", _image_text, [("image/png", _image_png)])],
    "pandas": [
        _Library("pandas.io.formats.style", "Styler", _styler_text, [("text/html", _own_html)])
    ],
    "plotly": [
        _Library(
            "plotly.basedatatypes",
            "BaseFigure",
            _plotly_text,
            [
                ("chart", plotly_charts.chart_of),
                (_PLOTLY, _plotly_json),
                ("text/html", _plotly_html),
            ],
        )
    ],
    "altair": [
        _Library(
            "altair",
            "TopLevelMixin",
            _altair_text,
            [(_VEGALITE, _altair_json), ("text/html", _altair_html)],
        )
    ],
    "bokeh": [
        _Library(
            "bokeh.models.layouts",
            "LayoutDOM",
            _bokeh_text,
            [(_BOKEH, _bokeh_json), ("text/html", _bokeh_html)],
        )
    ],
}
