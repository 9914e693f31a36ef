"""IPython.display for sessions without IPython: the classes that code from notebooks uses."""

import base64
import json
import os

from .display import DisplayHandle, clear_output, display, update_display
from .own_builtins import __builtins__  # noqa: F401

VERSION_INFO = (9, 0, 0, "")  # of the IPython that is stood in for
_ENDINGS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}


def get_ipython():
    """None, as outside of IPython."""
    return None


class DisplayObject:
    """Data of one MIME type, given as it is or as the name of a file."""

    mime = "text/plain"

    def __init__(self, data=None, url=None, filename=None, metadata=None, **options):
        if url is not None or (isinstance(data, str) and data.startswith(("http://", "https://"))):
            raise OSError("there is no network here: upload the file and pass its name")
        if filename is None and isinstance(data, os.PathLike):
            filename, data = data, None
        self.data = self._read(filename) if filename is not None else data
        self.options = options

    def _read(self, filename):
        with open(filename, encoding="utf-8") as file:
            return file.read()

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: self.data}

    def __repr__(self):
        return f"<IPython.display.{type(self).__name__}>"


class HTML(DisplayObject):
    """Shown as text/html."""

    mime = "text/html"


class Markdown(DisplayObject):
    """Shown as text/markdown."""

    mime = "text/markdown"


class Latex(DisplayObject):
    """Shown as text/latex."""

    mime = "text/latex"


class Math(Latex):
    """A formula in LaTeX."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: f"$\\displaystyle {self.data.strip('$')}$"}


class SVG(DisplayObject):
    """Shown as image/svg+xml."""

    mime = "image/svg+xml"

    def __init__(self, data=None, **options):
        if isinstance(data, str) and "<svg" not in data and os.path.exists(data):
            data, options["filename"] = None, data
        super().__init__(data, **options)


class Javascript(DisplayObject):
    """Shown as application/javascript."""

    mime = "application/javascript"


class Pretty(DisplayObject):
    """Shown as plain text."""


class JSON(DisplayObject):
    """Shown as application/json."""

    mime = "application/json"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: json.loads(self.data) if isinstance(self.data, str) else self.data}


class Code(DisplayObject):
    """Source code, shown as Markdown."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        language = self.options.get("language") or "python"
        return {"text/markdown": f"```{language}\n{self.data}\n```"}

    def __repr__(self):
        return str(self.data)


class Image(DisplayObject):
    """A picture from a file or from bytes: PNG, JPEG, GIF or WebP."""

    def __init__(self, data=None, filename=None, **options):
        if isinstance(data, str) and not data.startswith(("http://", "https://", "data:")):
            filename, data = data, None
        if isinstance(data, str) and data.startswith("data:"):
            data = base64.b64decode(data.partition(",")[2])
        super().__init__(data, filename=filename, **options)

    def _read(self, filename):
        with open(filename, "rb") as file:
            return file.read()

    def _repr_mimebundle_(self, include=None, exclude=None):
        for start, name in _ENDINGS.items():
            if self.data.startswith(start):
                return {f"image/{name}": self.data}
        return {}


def display_html(value, raw=False):
    """Show text as HTML."""
    display(HTML(value) if raw else value)


NAMES = {
    one.__name__: one
    for one in (
        DisplayHandle,
        DisplayObject,
        HTML,
        Markdown,
        Latex,
        Math,
        SVG,
        Javascript,
        Pretty,
        JSON,
        Code,
        Image,
        clear_output,
        display,
        display_html,
        update_display,
    )
}
