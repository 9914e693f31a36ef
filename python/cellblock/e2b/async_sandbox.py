"""E2B's AsyncSandbox, on a session of Cellblock."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from ..aio import AsyncExecutor, AsyncSession
from ..display import DisplayData
from ..executor import Executor
from ..in_threads import in_thread
from ..policy import SecurityPolicy
from . import settings, unsupported
from .collector import Collector
from .exceptions import translated
from .files import AsyncFiles
from .models import Context, Execution, ExecutionError, OutputMessage, Result, SandboxInfo
from .sandbox import Sandbox


class AsyncSandbox:
    """:class:`Sandbox` for asyncio; callbacks may be coroutine functions."""

    commands = unsupported.COMMANDS
    pty = unsupported.PTY
    git = unsupported.GIT

    def __init__(self, sandbox: Sandbox):
        """Use :meth:`create`."""
        self._sandbox = sandbox
        self._session = AsyncSession.around(sandbox.session)

    @classmethod
    async def create(
        cls,
        template: str | None = None,
        timeout: float | None = None,
        metadata: Mapping[str, str] | None = None,
        envs: Mapping[str, str] | None = None,
        *,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        executor: AsyncExecutor | Executor | None = None,
        **options: Any,
    ) -> AsyncSandbox:
        """See :meth:`Sandbox.create`."""
        sync = executor.sync if isinstance(executor, AsyncExecutor) else executor
        return cls(
            await in_thread(
                Sandbox, template, timeout, metadata, envs, policy=policy, executor=sync, **options
            )
        )

    @property
    def sandbox_id(self) -> str:
        """The session's id."""
        return self._sandbox.sandbox_id

    @property
    def session(self) -> AsyncSession:
        """The session itself, for what E2B's shape has no place for."""
        return self._session

    @property
    def files(self) -> AsyncFiles:
        """The workspace."""
        return AsyncFiles(self._sandbox.files)

    async def run_code(
        self,
        code: str,
        language: str | None = None,
        context: Context | None = None,
        on_stdout: Callable[[OutputMessage], Any] | None = None,
        on_stderr: Callable[[OutputMessage], Any] | None = None,
        on_result: Callable[[Result], Any] | None = None,
        on_error: Callable[[ExecutionError], Any] | None = None,
        envs: Mapping[str, str] | None = None,
        timeout: float | None = None,
        request_timeout: float | None = None,
    ) -> Execution:
        """See :meth:`Sandbox.run_code`. A cancellation interrupts the run."""
        unsupported.check_language(language)
        unsupported.check_envs(envs)
        session = AsyncSession.around(self._sandbox.session_of(context))
        collector = Collector()

        async def tell(callback: Callable[[Any], Any] | None, messages: list[Any]) -> None:
            if callback is not None:
                for message in messages:
                    returned = callback(message)
                    if inspect.isawaitable(returned):
                        await returned

        async def stdout(text: str) -> None:
            await tell(on_stdout, collector.stdout(text))

        async def stderr(text: str) -> None:
            await tell(on_stderr, collector.stderr(text))

        async def show(shown: DisplayData) -> None:
            await tell(on_result, collector.result(shown))

        with translated():
            result = await session.run(
                code,
                settings.run_timeout(timeout),
                on_stdout=stdout,
                on_stderr=stderr,
                on_result=None if on_result is None else show,
            )
        last_out, last_err = collector.rest()
        await tell(on_stdout, last_out)
        await tell(on_stderr, last_err)
        await tell(on_error, collector.finish(result))
        return collector.execution

    async def is_running(self, request_timeout: float | None = None) -> bool:
        """Whether it takes calls."""
        return self._sandbox.is_running()

    async def set_timeout(self, timeout: float, **_: Any) -> None:
        """Let it live for so many seconds from now."""
        self._sandbox.set_timeout(timeout)

    async def get_info(self, **_: Any) -> SandboxInfo:
        """What it is, and until when."""
        return self._sandbox.get_info()

    async def kill(self, **_: Any) -> bool:
        """End it; False: it had ended."""
        return await in_thread(self._sandbox.kill)

    async def pause(self, **_: Any) -> bool:
        """Not supported."""
        return self._sandbox.pause()

    def get_host(self, port: int) -> str:
        """Not supported."""
        return self._sandbox.get_host(port)

    @classmethod
    async def connect(cls, sandbox_id: str, **_: Any) -> AsyncSandbox:
        """Not supported."""
        return cls(Sandbox.connect(sandbox_id))

    async def __aenter__(self) -> AsyncSandbox:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.kill()

    def __repr__(self) -> str:
        return f"<AsyncSandbox {self.sandbox_id}>"
