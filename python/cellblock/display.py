"""One thing that code has shown: a MIME bundle and, for a chart, its data."""

from __future__ import annotations

import base64
from collections.abc import Container, Mapping
from types import MappingProxyType
from typing import Any

from . import jupyter


def is_text_type(mime: str) -> bool:
    """Whether data of the type is ``str``."""
    return mime.startswith("text/") or mime in ("image/svg+xml", "application/javascript")


def is_json_type(mime: str) -> bool:
    """Whether data of the type is a JSON value."""
    return mime == "application/json" or mime.endswith("+json")


def _decoded(mime: str, data: Any) -> Any:
    if is_text_type(mime) or is_json_type(mime):
        return data
    return base64.b64decode(data)


class DisplayData:
    """A value in all the forms that the session gave it.

    All of it is the session's word, so hostile input: HTML, SVG, Markdown and JavaScript may hold
    anything. Shown in Jupyter it cannot run scripts or reach the network.
    """

    __slots__ = ("_data", "mime")

    #: Type → data: ``str`` for text, a JSON value for JSON types, ``bytes`` for all others.
    mime: Mapping[str, Any]

    def __init__(self, data: Mapping[str, Any]):
        """``data`` is the JSON form (docs/results.md)."""
        self._data = dict(data)
        self.mime = MappingProxyType(
            {mime: _decoded(mime, value) for mime, value in self._data["mime"].items()}
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> DisplayData:
        """Read the JSON form."""
        return cls(data)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: binary types in base64."""
        return dict(self._data)

    @property
    def is_main_result(self) -> bool:
        """Whether it is the value of the last expression."""
        return bool(self._data["is_main_result"])

    @property
    def chart(self) -> dict[str, Any] | None:
        """The data of a chart (docs/results.md)."""
        chart: dict[str, Any] | None = self._data["chart"]
        return chart

    @property
    def display_id(self) -> str | None:
        """The code's own name for it."""
        return self._data.get("display_id")

    @property
    def operation(self) -> str:
        """What a viewer does with it: ``show``, ``update`` (of its ``display_id``) or ``clear``."""
        return str(self._data.get("operation", "show"))

    @property
    def text(self) -> str | None:
        """As plain text."""
        return self.mime.get("text/plain")

    @property
    def html(self) -> str | None:
        """As HTML, unfiltered: never put it into a page of yours as it is."""
        return self.mime.get("text/html")

    @property
    def markdown(self) -> str | None:
        """As Markdown."""
        return self.mime.get("text/markdown")

    @property
    def latex(self) -> str | None:
        """As LaTeX."""
        return self.mime.get("text/latex")

    @property
    def svg(self) -> str | None:
        """As SVG."""
        return self.mime.get("image/svg+xml")

    @property
    def png(self) -> bytes | None:
        """As PNG."""
        return self.mime.get("image/png")

    @property
    def jpeg(self) -> bytes | None:
        """As JPEG."""
        return self.mime.get("image/jpeg")

    @property
    def pdf(self) -> bytes | None:
        """As PDF."""
        return self.mime.get("application/pdf")

    @property
    def json(self) -> Any:
        """As a JSON value."""
        return self.mime.get("application/json")

    @property
    def javascript(self) -> str | None:
        """As JavaScript."""
        return self.mime.get("application/javascript")

    def formats(self) -> list[str]:
        """The MIME types that are there."""
        return list(self.mime)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DisplayData) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (DisplayData.from_dict, (self.to_dict(),))

    def __repr__(self) -> str:
        forms = repr(", ".join(self.mime))[1:-1]  # the names are the session's word, too
        return f"DisplayData({forms}: {jupyter.shortened(self.text or '')!r})"

    def _repr_html_(self) -> str:
        return jupyter.html_of_display(self)

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        return jupyter.bundle_of(self, include, exclude)
