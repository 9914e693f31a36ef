"""What came out of one execution."""

from __future__ import annotations

import copy
import json
from collections.abc import Container, Mapping
from functools import cached_property
from typing import Any

from . import _native, jupyter
from .display import DisplayData
from .parts import (
    Changes,
    ExecutionError,
    FileChanges,
    Isolation,
    Late,
    TraceContext,
    Truncated,
    Usage,
    Variable,
)


class ExecutionResult:
    """The outcome of a run: names and shapes are those of the JSON form (docs/results.md).

    Can be pickled and compared. Shows itself in Jupyter.
    """

    def __init__(self, data: Mapping[str, Any]):
        """``data`` is the JSON form, with every field; see :meth:`from_dict`."""
        self._data = dict(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ExecutionResult:
        """Read the JSON form; what is missing has its default, only ``status`` must be there.

        Raises BadArgument.
        """
        return cls(json.loads(_native.complete_result(json.dumps(data))))

    @classmethod
    def from_json(cls, text: str) -> ExecutionResult:
        """Read the JSON text; as from_dict."""
        return cls(json.loads(_native.complete_result(text)))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: binary types in base64."""
        return copy.deepcopy(self._data)

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(self._data, ensure_ascii=False)

    def to_model_text(self, budget: int = 8_000) -> str:
        """What a model needs to know, as plain text of at most ``budget`` bytes.

        The most useful first: how it ended, error and hint, value, stdout, what was shown, stderr,
        changed variables, files. What does not fit loses its middle and says so.
        """
        return _native.model_text(self.to_json(), budget)

    # --- how it ended ------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """``ok error exit timeout memory_limit cpu_limit crashed cancelled host_error``."""
        return str(self._data["status"])

    @property
    def ok(self) -> bool:
        """Whether the code ran to its end."""
        return self.status == "ok"

    @property
    def cause(self) -> str | None:
        """What more is known of the status (docs/limits.md); None when all went well."""
        cause: str | None = self._data["cause"]
        return cause

    @property
    def exit_code(self) -> int:
        """0; 1 error; n for ``sys.exit(n)``; 124 timeout; 137 memory; 130 cancelled; …"""
        return int(self._data["exit_code"])

    @cached_property
    def error(self) -> ExecutionError | None:
        """The exception that ended the code, or what stopped it."""
        error = self._data["error"]
        return error and ExecutionError(**error)

    @property
    def state(self) -> str:
        """What became of the variables: ``kept``, ``rolled_back`` or ``lost``."""
        return str(self._data["state"])

    @property
    def lost_names(self) -> list[str]:
        """The variables that went with the session's process."""
        return list(self._data["lost_names"])

    @property
    def stopped_by(self) -> str | None:
        """What ended it: ``sigint``, ``sigkill`` or None."""
        stopped_by: str | None = self._data["stopped_by"]
        return stopped_by

    # --- what it said ------------------------------------------------------------------------

    @property
    def stdout(self) -> str:
        """What was written, at most ``max_stdout_bytes``; see :attr:`truncated`."""
        return str(self._data["stdout"])

    @property
    def stderr(self) -> str:
        """What was written, at most ``max_stderr_bytes``."""
        return str(self._data["stderr"])

    @cached_property
    def truncated(self) -> Truncated:
        """How much of the streams was left out."""
        return Truncated.from_dict(self._data["truncated"])

    @cached_property
    def late(self) -> Late:
        """What threads wrote after the last run had ended."""
        return Late(**self._data["late"])

    @property
    def text(self) -> str | None:
        """The value of the last expression, as ``repr`` has it; None where there is none."""
        text: str | None = self._data["text"]
        return text

    @cached_property
    def results(self) -> list[DisplayData]:
        """Everything that was shown, in order; the value of the last expression last."""
        return [DisplayData.from_dict(data) for data in self._data["results"]]

    # --- what it changed ---------------------------------------------------------------------

    @cached_property
    def variables(self) -> list[Variable]:
        """The namespace, the most recently changed first, at most 100."""
        return [Variable(**variable) for variable in self._data["variables"]]

    @property
    def variables_summary(self) -> str:
        """``df: DataFrame(1000, 12)``, a line each."""
        return str(self._data["variables_summary"])

    @cached_property
    def changes(self) -> Changes:
        """What the run changed in the namespace."""
        return Changes.from_dict(self._data["changes"])

    @cached_property
    def files(self) -> FileChanges:
        """What the run created, changed and deleted in the workspace."""
        return FileChanges.from_dict(self._data["files"])

    # --- about the run -----------------------------------------------------------------------

    @property
    def session_id(self) -> str:
        """The session that ran it."""
        return str(self._data["session_id"])

    @property
    def execution_id(self) -> str:
        """The execution's own id: what :meth:`cellblock.Session.output` wants."""
        return str(self._data["execution_id"])

    @property
    def execution_count(self) -> int:
        """1 for the first execution of a session."""
        return int(self._data["execution_count"])

    @property
    def code_sha256(self) -> str:
        """64 hex digits."""
        return str(self._data["code_sha256"])

    @cached_property
    def usage(self) -> Usage:
        """Time and memory."""
        return Usage(**self._data["usage"])

    @cached_property
    def isolation(self) -> Isolation:
        """Which kernel mechanisms held the session."""
        return Isolation.from_dict(self._data["isolation"])

    @property
    def policy_events(self) -> dict[str, int]:
        """What the import guard refused, what was clamped or dropped, counted."""
        return dict(self._data["policy_events"])

    @cached_property
    def trace(self) -> TraceContext:
        """The caller's own marks."""
        return TraceContext(**self._data["trace"])

    # --- the first of a kind among the results -----------------------------------------------

    def _first(self, mime: str) -> Any:
        return next((shown.mime[mime] for shown in self.results if mime in shown.mime), None)

    @property
    def png(self) -> bytes | None:
        """The first PNG."""
        data: bytes | None = self._first("image/png")
        return data

    @property
    def jpeg(self) -> bytes | None:
        """The first JPEG."""
        data: bytes | None = self._first("image/jpeg")
        return data

    @property
    def svg(self) -> str | None:
        """The first SVG."""
        data: str | None = self._first("image/svg+xml")
        return data

    @property
    def html(self) -> str | None:
        """The first HTML, unfiltered: never put it into a page of yours as it is."""
        data: str | None = self._first("text/html")
        return data

    @property
    def markdown(self) -> str | None:
        """The first Markdown."""
        data: str | None = self._first("text/markdown")
        return data

    @property
    def json(self) -> Any:
        """The first JSON value."""
        return self._first("application/json")

    @property
    def chart(self) -> dict[str, Any] | None:
        """The data of the first chart."""
        return next((shown.chart for shown in self.results if shown.chart is not None), None)

    # --- as a value --------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExecutionResult) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (ExecutionResult, (self._data,))

    def __repr__(self) -> str:
        shown = [f"status={self.status!r}"]
        if self.text is not None:
            shown.append(f"text={jupyter.shortened(self.text)!r}")
        if self.stdout:
            shown.append(f"stdout={jupyter.shortened(self.stdout)!r}")
        if self.stderr:
            shown.append(f"stderr={jupyter.shortened(self.stderr)!r}")
        if self.error is not None:
            error = f"{self.error.name}: {self.error.value}"
            shown.append(f"error={jupyter.shortened(error)!r}")
        if self.results:
            shown.append(f"results={len(self.results)}")
        if self.state != "kept":
            shown.append(f"state={self.state!r}")
        return f"ExecutionResult({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return jupyter.html_of_result(self)

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        return jupyter.bundle_of(self, include, exclude)
