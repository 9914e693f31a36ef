"""The same for asyncio: what blocks is awaited, callbacks may be coroutine functions."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from .aio_running import AsyncRunning, drive
from .callbacks import Callbacks, QueuedCallback, ResultCallback, TextCallback, start_native
from .errors import CellblockError
from .executor import DEFAULT_PRELOAD, EngineInfo, Executor, default_executor
from .in_threads import in_thread
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
from .session import Session


class AsyncSession:
    """:class:`cellblock.Session` for asyncio.

    ``async with AsyncSession(policy) as session`` or ``session = await AsyncSession(policy)``;
    otherwise the first call opens it. A run whose task is cancelled is interrupted.
    """

    def __init__(
        self,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        *,
        executor: AsyncExecutor | Executor | None = None,
    ):
        """Does not wait: opening it does."""
        self._policy = policy
        self._executor = executor.sync if isinstance(executor, AsyncExecutor) else executor
        self._opening: asyncio.Lock = asyncio.Lock()
        self._session: Session | None = None

    @classmethod
    def around(cls, session: Session) -> AsyncSession:
        """The same session for asyncio: what one of them does the other sees, and closes."""
        made = cls()
        made._session = session
        return made

    async def open(self) -> AsyncSession:
        """Wait until it is ready. Raises PolicyInvalid, BusyLimit, IsolationUnavailable, …"""
        async with self._opening:
            if self._session is None:
                self._session = await in_thread(self._open)
        return self

    def _open(self) -> Session:
        return Session(self._policy, executor=self._executor or default_executor())

    async def open_context(self) -> AsyncSession:
        """Open a context of it: see :meth:`cellblock.Session.open_context`."""
        await self.open()
        return AsyncSession.around(await in_thread(self.sync.open_context))

    def __await__(self) -> Generator[Any, None, AsyncSession]:
        return self.open().__await__()

    @property
    def sync(self) -> Session:
        """The session itself, once it is open."""
        if self._session is None:
            raise RuntimeError("the session is not open yet: await it first")
        return self._session

    @property
    def id(self) -> str:
        """The session's own id."""
        return self.sync.id

    @property
    def isolation(self) -> Isolation:
        """Which kernel mechanisms hold the session."""
        return self.sync.isolation

    @property
    def ended(self) -> CellblockError | None:
        """Why it takes no more calls; None while it is open."""
        return self.sync.ended

    async def tool_definition(self, format: str = "openai") -> dict[str, Any]:
        """See :meth:`cellblock.Executor.tool_definition`."""
        await self.open()
        return await in_thread(self.sync.tool_definition, format)

    async def run(
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
        """Run one cell: see :meth:`cellblock.Session.run`.

        Callbacks are called in the event loop. A cancellation interrupts the run, and goes on when
        that has ended.
        """
        await self.open()
        callbacks = Callbacks(on_stdout, on_stderr, on_result, on_queued)
        native = start_native(self.sync._native, code, timeout_s, callbacks, trace)
        return await drive(native, callbacks)

    async def start(
        self,
        code: str,
        timeout_s: float | None = None,
        *,
        on_stdout: TextCallback | None = None,
        on_stderr: TextCallback | None = None,
        on_result: ResultCallback | None = None,
        on_queued: QueuedCallback | None = None,
        trace: TraceContext | Mapping[str, str] | None = None,
    ) -> AsyncRunning:
        """Start one cell."""
        await self.open()
        callbacks = Callbacks(on_stdout, on_stderr, on_result, on_queued)
        native = start_native(self.sync._native, code, timeout_s, callbacks, trace)
        return AsyncRunning(self, native, callbacks)

    async def interrupt(self) -> None:
        """Interrupt what runs now, if anything does, or what waits until the session is open."""
        async with self._opening:
            if self._session is not None:
                self._session.interrupt()

    async def reset(self) -> None:
        """Begin again with a fresh namespace in the same workspace."""
        await self.open()
        await in_thread(self.sync.reset)

    async def variables(self) -> list[Variable]:
        """The namespace, the most recently changed first."""
        await self.open()
        return await in_thread(self.sync.variables)

    async def complete(self, code: str, cursor: int | None = None) -> Completion:
        """What could stand at the cursor."""
        await self.open()
        return await in_thread(self.sync.complete, code, cursor)

    async def inspect(self, code: str, cursor: int | None = None) -> Inspection:
        """What is known of the name at the cursor."""
        await self.open()
        return await in_thread(self.sync.inspect, code, cursor)

    async def is_complete(self, code: str) -> Completeness:
        """Whether the code can run as it is."""
        await self.open()
        return await in_thread(self.sync.is_complete, code)

    async def output(
        self,
        execution_id: str,
        stream: str = "stdout",
        offset: int = 0,
        limit: int = 65_536,
        pattern: str | None = None,
    ) -> OutputPage:
        """Page through the output of one of the last executions."""
        await self.open()
        return await in_thread(self.sync.output, execution_id, stream, offset, limit, pattern)

    async def upload(self, path: str, data: bytes | bytearray | memoryview | str | BinaryIO) -> str:
        """Write a file of the workspace."""
        await self.open()
        return await in_thread(self.sync.upload, path, data)

    async def append(self, path: str, data: bytes | bytearray | memoryview | str) -> str:
        """Add to a file of the workspace."""
        await self.open()
        return await in_thread(self.sync.append, path, data)

    async def upload_file(self, local: str | Path, path: str = "") -> str:
        """Copy a local file or folder into the workspace."""
        await self.open()
        return await in_thread(self.sync.upload_file, local, path)

    async def upload_redacted(
        self,
        local: str | Path,
        path: str,
        rules: Mapping[str, str],
        *,
        format: str = "",
        hash_key: str = "",
    ) -> RedactionReport:
        """Copy a local table without what ``rules`` names."""
        await self.open()
        return await in_thread(
            self.sync.upload_redacted, local, path, rules, format=format, hash_key=hash_key
        )

    async def download(self, path: str, offset: int = 0, limit: int | None = None) -> bytes:
        """Read a file of the workspace."""
        await self.open()
        return await in_thread(self.sync.download, path, offset, limit)

    async def files(self) -> list[FileInfo]:
        """The files of the workspace."""
        await self.open()
        return await in_thread(self.sync.files)

    async def stat(self, path: str) -> FileInfo:
        """One file of the workspace."""
        await self.open()
        return await in_thread(self.sync.stat, path)

    async def close(self) -> None:
        """End the session; what runs in it ends as ``cancelled``."""
        async with self._opening:
            if self._session is not None:
                await in_thread(self._session.close)

    async def __aenter__(self) -> AsyncSession:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncSession {self._session.id if self._session else 'not open yet'}>"


class AsyncExecutor:
    """:class:`cellblock.Executor` for asyncio; takes the same options."""

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
        """Start a zygote; does not wait until it is ready."""
        self.sync = Executor(
            kind,
            python=python,
            preload=preload,
            helpers=helpers,
            max_sessions=max_sessions,
            audit_log=audit_log,
            log_code=log_code,
            zygote_path=zygote_path,
        )

    async def open_session(
        self, policy: SecurityPolicy | Mapping[str, Any] | None = None
    ) -> AsyncSession:
        """Open a session and wait until it is ready."""
        return await AsyncSession(policy, executor=self)

    async def run(
        self,
        code: str,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        **options: Any,
    ) -> ExecutionResult:
        """Run one cell in a session of its own."""
        async with AsyncSession(policy, executor=self) as session:
            return await session.run(code, **options)

    async def tool_definition(
        self,
        format: str = "openai",
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """See :meth:`cellblock.Executor.tool_definition`."""
        return await in_thread(self.sync.tool_definition, format, policy)

    async def info(self, policy: SecurityPolicy | Mapping[str, Any] | None = None) -> EngineInfo:
        """What there is, under a policy."""
        return await in_thread(self.sync.info, policy)

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self.sync.closed

    async def close(self) -> None:
        """End its sessions and the zygote; waits for their processes."""
        await in_thread(self.sync.close)

    async def __aenter__(self) -> AsyncExecutor:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
