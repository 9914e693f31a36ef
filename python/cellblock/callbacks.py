"""Who is told what while code runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from . import _native
from .code_check import check_code
from .display import DisplayData
from .errors import BadArgument
from .parts import TraceContext

#: Returns nothing of interest; in the asyncio classes it may be a coroutine function.
TextCallback = Callable[[str], Any]
ResultCallback = Callable[[DisplayData], Any]
QueuedCallback = Callable[[int], Any]


@dataclass(frozen=True)
class Callbacks:
    """One function for each kind of event; called one at a time, in the order of events."""

    on_stdout: TextCallback | None = None
    on_stderr: TextCallback | None = None
    on_result: ResultCallback | None = None
    on_queued: QueuedCallback | None = None

    @property
    def any(self) -> bool:
        """Whether there is one at all."""
        return any(callback is not None for callback in vars(self).values())

    def call(self, kind: str, what: Any) -> Any:
        """Hand an event on; returns what the callback returned."""
        callback = getattr(self, f"on_{kind}")
        return callback(DisplayData.from_dict(json.loads(what)) if kind == "result" else what)


def start_native(
    session: _native.Session,
    code: str,
    timeout_s: float | None,
    callbacks: Callbacks,
    trace: TraceContext | Mapping[str, str] | None,
) -> _native.Running:
    """Start an execution of a native session."""
    if not isinstance(code, str):
        raise TypeError(f"code must be a str, not {type(code).__name__}")
    check_code(code)
    if timeout_s is not None and not (isinstance(timeout_s, Real) and timeout_s > 0):
        raise BadArgument(f"timeout_s must be a number of seconds above 0, not {timeout_s!r}.")
    marks = trace.to_dict() if isinstance(trace, TraceContext) else dict(trace or {})
    unknown = marks.keys() - {"traceparent", "request_id", "tenant"}
    if unknown:
        raise BadArgument(
            f"trace has no field {sorted(unknown)[0]!r}: it takes traceparent, request_id, tenant."
        )
    return session.start(
        code,
        timeout_s,
        callbacks.on_stdout is not None,
        callbacks.on_stderr is not None,
        callbacks.on_result is not None,
        callbacks.on_queued is not None,
        marks,
    )
