"""E2B's Sandbox, on a session of Cellblock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from ..display import DisplayData
from ..executor import Executor
from ..policy import SecurityPolicy
from ..session import Session
from . import settings, unsupported
from .collector import Collector
from .exceptions import NotFoundException, TimeoutException, translated
from .files import Files
from .models import Context, Execution, ExecutionError, OutputMessage, Result, SandboxInfo


class Sandbox:
    """A session in the shape of E2B's. A context manager that kills it at the end.

    Also closed when nothing refers to it any more.
    """

    commands = unsupported.COMMANDS
    pty = unsupported.PTY
    git = unsupported.GIT

    def __init__(
        self,
        template: str | None = None,
        timeout: float | None = None,
        metadata: Mapping[str, str] | None = None,
        envs: Mapping[str, str] | None = None,
        *,
        allow_internet_access: bool | None = None,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        executor: Executor | None = None,
        **options: Any,
    ):
        """See :meth:`create`."""
        settings.check_options(options)
        unsupported.check_template(template)
        unsupported.check_network(allow_internet_access)
        chosen = settings.policy_of(policy, envs)
        with translated():
            self._session = Session(chosen, executor=executor)
        self._lifetime = settings.Lifetime(timeout or settings.DEFAULT_LIFETIME, self._session)
        self._metadata = dict(metadata or {})

    @classmethod
    def create(
        cls,
        template: str | None = None,
        timeout: float | None = None,
        metadata: Mapping[str, str] | None = None,
        envs: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Sandbox:
        """Make a sandbox that lives for ``timeout`` seconds (300).

        Cellblock's own: ``policy`` (the operator's; without one a run may take a day) and
        ``executor``. What is for E2B's service (``api_key``, ``domain``, …) is taken and ignored.
        """
        return cls(template, timeout, metadata, envs, **options)

    @property
    def sandbox_id(self) -> str:
        """The session's id."""
        return self._session.id

    @property
    def session(self) -> Session:
        """The session itself, for what E2B's shape has no place for."""
        return self._session

    @property
    def files(self) -> Files:
        """The workspace."""
        self._check_alive()
        return Files(self._session)

    def _check_alive(self) -> None:
        if self._lifetime.over:
            raise TimeoutException(
                "The sandbox has reached its timeout: create another one, with a longer timeout=… "
                "or set_timeout in time."
            )
        if self._session.ended is not None:
            raise NotFoundException("The sandbox was killed: create another one.")

    # --- code ----------------------------------------------------------------------------------

    def run_code(
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
        """Run code, by default for 300 s at most (0: as long as the policy lets).

        Callbacks get lines, whole ones where the code ends them. Raises TimeoutException, which
        has the ``execution`` as far as it came; variables made before are kept.
        """
        unsupported.check_language(language)
        unsupported.check_envs(envs)
        session = self.session_of(context)
        collector = Collector()

        def tell(callback: Callable[[Any], Any] | None, messages: list[Any]) -> None:
            if callback is not None:
                for message in messages:
                    callback(message)

        def stdout(text: str) -> None:
            tell(on_stdout, collector.stdout(text))

        def stderr(text: str) -> None:
            tell(on_stderr, collector.stderr(text))

        def show(shown: DisplayData) -> None:
            tell(on_result, collector.result(shown))

        with translated():
            result = session.run(
                code,
                settings.run_timeout(timeout),
                on_stdout=stdout,
                on_stderr=stderr,
                on_result=None if on_result is None else show,
            )
        last_out, last_err = collector.rest()
        tell(on_stdout, last_out)
        tell(on_stderr, last_err)
        tell(on_error, collector.finish(result))
        return collector.execution

    def session_of(self, context: Context | None) -> Session:
        """The session that runs a context's code; None: the sandbox's own context."""
        self._check_alive()
        if context is None or context.id == self._session.id:
            return self._session
        raise NotFoundException(f"there is no context {context.id!r} in this sandbox")

    # --- its life ------------------------------------------------------------------------------

    def is_running(self, request_timeout: float | None = None) -> bool:
        """Whether it takes calls."""
        return self._session.ended is None

    def set_timeout(self, timeout: float, **_: Any) -> None:
        """Let it live for so many seconds from now."""
        self._check_alive()
        self._lifetime.set(timeout)

    def get_info(self, **_: Any) -> SandboxInfo:
        """What it is, and until when."""
        return SandboxInfo(
            self.sandbox_id, self._metadata, self._lifetime.started_at, self._lifetime.end_at
        )

    def kill(self, **_: Any) -> bool:
        """End it; False: it had ended."""
        self._lifetime.stop()
        was_running = self.is_running()
        self._session.close()
        return was_running

    def pause(self, **_: Any) -> bool:
        """Not supported."""
        unsupported.refuse("pause", "keep the sandbox alive with set_timeout")

    def get_host(self, port: int) -> str:
        """Not supported."""
        unsupported.refuse("get_host", "a session has no network; give results back as values")

    @classmethod
    def connect(cls, sandbox_id: str, **_: Any) -> Sandbox:
        """Not supported."""
        unsupported.refuse(
            "connect", "keep the Sandbox object, or use cellblock.execute_code(name)"
        )

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    def __repr__(self) -> str:
        return f"<Sandbox {self.sandbox_id}>"
