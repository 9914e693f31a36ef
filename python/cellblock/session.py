"""A Python session: one namespace, one workspace, many executions."""

from __future__ import annotations

import json
import weakref
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from .callbacks import Callbacks, QueuedCallback, ResultCallback, TextCallback, start_native
from .errors import BadArgument, CellblockError, UnknownSession, error_of
from .executor import Executor, default_executor
from .parts import (
    Completeness,
    Completion,
    FileInfo,
    Inspection,
    Isolation,
    OutputPage,
    RedactionReport,
    TraceContext,
    Variable,
)
from .policy import SecurityPolicy
from .result import ExecutionResult
from .running import Running, drive

_PIECE = 1 << 20


class Session:
    """A session of an executor, without one named of the shared default executor.

    Thread-safe: one execution at a time, the next waits its turn. A context manager; also closed
    when nothing refers to it any more. It belongs to the process that opened it: in a child
    made by ``os.fork`` every call raises HostError, and closing it does nothing.
    """

    def __init__(
        self,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        *,
        executor: Executor | None = None,
    ):
        """Open the session and wait until it is ready.

        Raises PolicyInvalid, BusyLimit, IsolationUnavailable, HostError.
        """
        # Until it is closed: an executor that nobody else refers to ends with its sessions.
        self._executor: Executor | None = executor or default_executor()
        self._executor_if_alive = weakref.ref(self._executor)
        self._policy = policy
        self._native = self._executor._open_native(policy)

    def open_context(self) -> Session:
        """Open a context: a session of its own in this one's cage (docs/contexts.md).

        It shares workspace, policy and memory with this one, and has its own variables, queue and
        id; what ends one leaves the other. Raises as the constructor does, and UnknownSession or
        Expired where this session has ended.
        """
        context = object.__new__(Session)
        context._native = self._native.open_context()
        context._executor, context._policy = self._executor, self._policy
        context._executor_if_alive = self._executor_if_alive
        return context

    @property
    def id(self) -> str:
        """The session's own id, also when its process was replaced."""
        return self._native.id

    @property
    def isolation(self) -> Isolation:
        """Which kernel mechanisms hold the session."""
        return Isolation.from_dict(json.loads(self._native.isolation_json))

    @property
    def start_ms(self) -> float:
        """How long it took from the opening to the first ready process."""
        return self._native.start_ms

    @property
    def ended(self) -> CellblockError | None:
        """Why it takes no more calls (UnknownSession, Expired); None while it is open."""
        why = self._native.ended()
        return None if why is None else error_of(*why)

    def tool_definition(self, format: str = "openai") -> dict[str, Any]:
        """What a model is told of execute_python: see :meth:`cellblock.Executor.tool_definition`.

        Made from this session's policy. Raises UnknownSession once it is closed and its
        executor has gone.
        """
        executor = self._executor_if_alive()
        if executor is None:
            raise UnknownSession("The session was closed; open a new one.")
        return executor.tool_definition(format, self._policy)

    # --- running code --------------------------------------------------------------------------

    def run(
        self,
        code: str,
        timeout_s: float | None = None,
        *,
        on_stdout: TextCallback | None = None,
        on_stderr: TextCallback | None = None,
        on_result: ResultCallback | None = None,
        on_queued: QueuedCallback | None = None,
        trace: TraceContext | Mapping[str, str] | None = None,
    ) -> ExecutionResult:
        """Run one cell and wait. What the code did wrong is in the result.

        ``timeout_s`` asks for less than the policy's; more is clamped. Callbacks are called on
        this thread, in order. What one raises interrupts the run and is raised here once that has
        ended; the same goes for Ctrl-C (a second one does not wait).
        """
        callbacks = Callbacks(on_stdout, on_stderr, on_result, on_queued)
        return drive(start_native(self._native, code, timeout_s, callbacks, trace), callbacks)

    def start(
        self,
        code: str,
        timeout_s: float | None = None,
        *,
        on_stdout: TextCallback | None = None,
        on_stderr: TextCallback | None = None,
        on_result: ResultCallback | None = None,
        on_queued: QueuedCallback | None = None,
        trace: TraceContext | Mapping[str, str] | None = None,
    ) -> Running:
        """Start one cell. Callbacks are called on a thread of their own."""
        callbacks = Callbacks(on_stdout, on_stderr, on_result, on_queued)
        native = start_native(self._native, code, timeout_s, callbacks, trace)
        return Running(self, native, callbacks)

    def interrupt(self) -> None:
        """Interrupt what runs now, if anything does; queued executions go on."""
        self._native.interrupt()

    def reset(self) -> None:
        """Begin again with a fresh namespace in the same process and workspace.

        Modules keep what was changed in them; threads, the working folder and the environment stay.
        """
        self._native.reset()

    # --- looking at it -------------------------------------------------------------------------

    def variables(self) -> list[Variable]:
        """The namespace, the most recently changed first."""
        return [Variable(*variable) for variable in self._native.variables()]

    def complete(self, code: str, cursor: int | None = None) -> Completion:
        """What could stand at the cursor (in code points; None: the end)."""
        return Completion(*self._native.complete(code, len(code) if cursor is None else cursor))

    def inspect(self, code: str, cursor: int | None = None) -> Inspection:
        """What is known of the name at the cursor."""
        return Inspection(*self._native.inspect(code, len(code) if cursor is None else cursor))

    def is_complete(self, code: str) -> Completeness:
        """Whether the code can run as it is."""
        return Completeness(*self._native.is_complete(code))

    def output(
        self,
        execution_id: str,
        stream: str = "stdout",
        offset: int = 0,
        limit: int = 65_536,
        pattern: str | None = None,
    ) -> OutputPage:
        """Page through the output of one of the last executions, beyond what its result holds.

        ``offset`` and ``limit`` count bytes. With ``pattern``, an ECMAScript regular expression,
        the text holds the lines that match, wherever they stand from ``offset`` on.
        """
        if stream not in ("stdout", "stderr"):
            raise BadArgument(f"stream must be 'stdout' or 'stderr', not {stream!r}.")
        page = self._native.output(execution_id, stream == "stderr", offset, limit, pattern)
        return OutputPage(*page)

    # --- files ---------------------------------------------------------------------------------

    def upload(self, path: str, data: bytes | bytearray | memoryview | str | BinaryIO) -> str:
        """Write a file of the workspace: bytes, text (as UTF-8), or a file object, piece by piece.

        ``path`` is relative to the workspace, or absolute as the code has it. Returns the path that
        the code must use.
        """
        if not hasattr(data, "read"):
            return self._native.upload(path, _bytes_of(data), False)
        used = self._native.upload(path, _bytes_of(data.read(_PIECE)), False)
        while piece := data.read(_PIECE):
            self._native.upload(path, _bytes_of(piece), True)
        return used

    def append(self, path: str, data: bytes | bytearray | memoryview | str) -> str:
        """Add to a file of the workspace."""
        return self._native.upload(path, _bytes_of(data), True)

    def upload_file(self, local: str | Path, path: str = "") -> str:
        """Copy a local file or folder into the workspace; without ``path`` under its name."""
        return self._native.upload_file(str(local), path)

    def upload_redacted(
        self,
        local: str | Path,
        path: str,
        rules: Mapping[str, str],
        *,
        format: str = "",
        hash_key: str = "",
    ) -> RedactionReport:
        """Copy a local table; ``rules`` has for a column ``drop``, ``mask`` or ``hash``."""
        report = self._native.upload_redacted(str(local), path, dict(rules), format, hash_key)
        return RedactionReport.from_dict(json.loads(report))

    def download(self, path: str, offset: int = 0, limit: int | None = None) -> bytes:
        """Read a file of the workspace."""
        return self._native.download(path, offset, limit)

    def files(self) -> list[FileInfo]:
        """The files of the workspace."""
        return [FileInfo(*file) for file in self._native.files()]

    def stat(self, path: str) -> FileInfo:
        """One file of the workspace; ``BadArgument`` where there is no such file."""
        return FileInfo(*self._native.stat(path))

    # --- its end -------------------------------------------------------------------------------

    def close(self) -> None:
        """End the session and its private workspace; what runs in it ends as ``cancelled``.

        Does not wait for the end of its processes. Closing twice is nothing.
        """
        self._native.close()
        self._executor = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Session {self.id}>"


def _bytes_of(data: Any) -> bytes:
    return data.encode() if isinstance(data, str) else bytes(data)
