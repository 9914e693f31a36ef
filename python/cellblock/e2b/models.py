"""What running code gives, with E2B's names."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .. import jupyter
from ..display import DisplayData
from ..result import ExecutionResult

#: E2B's names for MIME types; what has another type is in `extra`.
_FORMATS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
}


@dataclass
class OutputMessage:
    """A line that the code wrote; ``timestamp`` is in nanoseconds since 1970."""

    line: str
    timestamp: int
    error: bool = False

    def __str__(self) -> str:
        return self.line


@dataclass
class ExecutionError:
    """What ended the code."""

    name: str
    value: str
    traceback: str

    def to_json(self) -> str:
        """The fields as JSON."""
        return json.dumps(vars(self))


class Chart:
    """The data of a chart: ``type``, ``title``, ``elements`` and what else its type has."""

    def __init__(self, data: Mapping[str, Any]):
        """``data`` is a chart's JSON form (docs/results.md)."""
        self._data = dict(data)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return self._data

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._data:
            raise AttributeError(f"this chart has no {name!r}")
        value = self._data[name]
        if name == "elements":
            return [Chart(element) for element in value]
        if name == "points":
            return [tuple(point) for point in value]
        return value

    def __repr__(self) -> str:
        return f"Chart({self._data.get('description') or self._data.get('type')!r})"


@dataclass(repr=False)
class Result:
    """Something that the code has shown. Pictures and PDF are base64 text, as in E2B."""

    text: str | None = None
    html: str | None = None
    markdown: str | None = None
    svg: str | None = None
    png: str | None = None
    jpeg: str | None = None
    pdf: str | None = None
    latex: str | None = None
    json: Any = None
    javascript: str | None = None
    #: E2B's own form of a table; Cellblock gives none: `text`, `html` and `chart` have the data.
    data: dict[str, Any] | None = None
    chart: Chart | None = None
    is_main_result: bool = False
    #: Type → data, for the types that have no name here.
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, shown: DisplayData) -> Result:
        """Translate one display."""
        named: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for mime, value in shown.mime.items():
            encoded = base64.b64encode(value).decode() if isinstance(value, bytes) else value
            if mime in _FORMATS:
                named[_FORMATS[mime]] = encoded
            else:
                extra[mime] = encoded
        chart = None if shown.chart is None else Chart(shown.chart)
        return cls(**named, chart=chart, is_main_result=shown.is_main_result, extra=extra)

    def formats(self) -> Iterable[str]:
        """The names of the forms that are there."""
        names = [*_FORMATS.values(), "data", "chart"]
        return [name for name in names if getattr(self, name) is not None] + list(self.extra)

    def __getitem__(self, name: str) -> Any:
        return self.extra[name] if name in self.extra else getattr(self, name)

    def __str__(self) -> str:
        return self.__repr__()

    def __repr__(self) -> str:
        if self.text:
            return f"Result({self.text})"
        return f"Result(Formats: {', '.join(self.formats())})"

    def _repr_html_(self) -> str:
        return jupyter.html_of_forms(
            png=None if self.png is None else base64.b64decode(self.png),
            jpeg=None if self.jpeg is None else base64.b64decode(self.jpeg),
            svg=self.svg,
            html=self.html,
            text=self.text,
        )


@dataclass
class Logs:
    """What the code wrote, line by line."""

    stdout: list[str] = field(default_factory=list)
    stderr: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """The fields as JSON."""
        return json.dumps(vars(self))


@dataclass
class Execution:
    """What running code gave."""

    results: list[Result] = field(default_factory=list)
    logs: Logs = field(default_factory=Logs)
    error: ExecutionError | None = None
    execution_count: int | None = None
    #: All that Cellblock knows of the run: hint, variables, files, usage, …
    details: ExecutionResult | None = field(default=None, repr=False)

    @property
    def text(self) -> str | None:
        """The value of the last expression."""
        return next((result.text for result in self.results if result.is_main_result), None)

    def to_json(self) -> str:
        """Results, logs and error as JSON."""
        results = []
        for result in self.results:
            forms = {name: result[name] for name in result.formats()}
            if result.chart is not None:
                forms["chart"] = result.chart.to_dict()
            results.append({"text": result.text, **forms})
        error = self.error and self.error.to_json()
        return json.dumps({"results": results, "logs": self.logs.to_json(), "error": error})


@dataclass
class Context:
    """An interpreter of a sandbox: its own variables, the same files."""

    id: str
    language: str = "python"
    cwd: str = "/workspace"


@dataclass
class SandboxInfo:
    """What a sandbox is, and until when."""

    sandbox_id: str
    metadata: dict[str, str]
    started_at: datetime
    end_at: datetime
    template_id: str = "cellblock"
