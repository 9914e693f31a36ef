"""Where sessions run."""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _native, locations
from .errors import BadArgument, Unsupported
from .policy import SecurityPolicy, policy_json

if TYPE_CHECKING:
    from .result import ExecutionResult
    from .session import Session

DEFAULT_PRELOAD = ("numpy", "pandas", "matplotlib")


@dataclass(frozen=True)
class Helper:
    """A function that every session starts with."""

    name: str
    signature: str
    doc: str


@dataclass(frozen=True)
class EngineInfo:
    """What an executor is, and what code in its sessions finds."""

    version: str
    executor: str
    python_version: str
    python_executable: str
    #: Package → version.
    preloaded: dict[str, str]
    #: Package → why it was left out.
    missing: dict[str, str]
    helpers: tuple[Helper, ...]
    #: What may be imported under the policy that was asked about, and is installed.
    allowed_imports: tuple[str, ...]
    policy_events: dict[str, int]
    zygote_start_ms: float
    parked_threads: int


class Executor:
    """A zygote with its sessions. Thread-safe, a context manager.

    Sessions keep it alive; :meth:`close` ends them. It belongs to the process that made it: a
    child made by ``os.fork`` makes its own.
    """

    def __init__(
        self,
        kind: str = "fork",
        *,
        python: str | Path | None = None,
        preload: Sequence[str] = DEFAULT_PRELOAD,
        helpers: str | Path | None = None,
        max_sessions: int = 256,
        audit_log: str | Path | None = None,
        log_code: bool = False,
        zygote_path: str | Path | None = None,
    ):
        """Start a zygote; the first session waits until it is ready.

        ``python``: whose packages sessions use; the running one when left out. ``preload``:
        imported once, before any session. ``helpers``: a Python file whose public functions every
        session starts with. ``audit_log``: a file that every execution is logged to, with the code
        itself where ``log_code`` says so. Raises Unsupported (the kind), BadArgument, HostError.
        """
        if kind != "fork":
            raise Unsupported(f"There is no executor {kind!r} in the Python SDK: use 'fork'.")
        if isinstance(preload, str):
            raise BadArgument("preload must be a list of package names, not one string.")
        self._native = _native.Executor(
            python=str(python or sys.executable or ""),
            preload=list(preload),
            helpers=str(helpers or ""),
            max_sessions=max_sessions,
            audit_log=str(audit_log or ""),
            log_code=log_code,
            zygote_path=str(zygote_path or locations.zygote()),
        )

    def _open_native(self, policy: SecurityPolicy | Mapping[str, Any] | None) -> _native.Session:
        return self._native.open_session(policy_json(policy))

    def open_session(self, policy: SecurityPolicy | Mapping[str, Any] | None = None) -> Session:
        """Open a session and wait until it is ready.

        Raises PolicyInvalid, BusyLimit, IsolationUnavailable, HostError.
        """
        from .session import Session

        return Session(policy, executor=self)

    def run(
        self,
        code: str,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> ExecutionResult:
        """Run one cell in a session of its own; ``options`` are those of :meth:`Session.run`."""
        with self.open_session(policy) as session:
            return session.run(code, **options)

    def info(self, policy: SecurityPolicy | Mapping[str, Any] | None = None) -> EngineInfo:
        """What there is, under a policy; waits until the zygote is ready."""
        info = json.loads(self._native.info(policy_json(policy)))
        info["helpers"] = tuple(Helper(**helper) for helper in info["helpers"])
        info["allowed_imports"] = tuple(info["allowed_imports"])
        return EngineInfo(**info)

    def tool_definition(
        self,
        format: str = "openai",
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """The definition of the tool execute_python for a model whose calls run in sessions of
        this executor; waits until the zygote is ready.

        ``format``: ``openai``, ``anthropic``, ``mcp``, ``langchain``, or ``json`` for all that is
        known (``description``, ``input_schema``, ``prompt`` for a system message, …). The model
        names no session: the caller runs its code where it belongs.
        """
        definition: dict[str, Any] = json.loads(
            _native.tool_definition(self._native, policy_json(policy), format)
        )
        return definition

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._native.closed

    def close(self) -> None:
        """End its sessions and the zygote; waits for their processes. Twice is nothing."""
        self._native.close()

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Shared:
    """The default executor of this process: made by the first use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: Executor | None = None

    def get(self) -> Executor:
        with self._lock:
            if self._executor is None or self._executor.closed:
                self._executor = Executor()
            return self._executor

    def set(self, executor: Executor) -> None:
        with self._lock:
            self._executor = executor


_shared = _Shared()


def default_executor() -> Executor:
    """The executor that sessions use for which none is named; one for each process."""
    return _shared.get()


def set_default_executor(executor: Executor) -> None:
    """Let sessions for which no executor is named, and named sessions, run there from now on."""
    _shared.set(executor)


def _forget_shared() -> None:
    global _shared
    _shared = _Shared()


# A forked child has none of the threads that an executor needs.
os.register_at_fork(after_in_child=_forget_shared)
# Sessions end while Python can still wait for the threads that use them.
atexit.register(_native.close_all, 10.0)
