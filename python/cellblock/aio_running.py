"""Waiting for an execution in an event loop, without a thread."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING

from . import _native
from .callbacks import Callbacks
from .result import ExecutionResult
from .running import result_of

if TYPE_CHECKING:
    from .aio import AsyncSession


async def _readable(native: _native.Running) -> None:
    """Wait until there is something to take."""
    loop = asyncio.get_running_loop()
    descriptor = native.fileno()
    ready: asyncio.Future[None] = loop.create_future()

    def is_ready() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(descriptor, is_ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


async def drive(native: _native.Running, callbacks: Callbacks) -> ExecutionResult:
    """Hand the events on as they come and return the result.

    Whatever a callback raises, and a cancellation, interrupts the execution and is raised when that
    has ended; a second cancellation does not wait for it.
    """
    try:
        finished = False
        while not finished:
            await _readable(native)
            events, finished = native.take()
            for kind, what in events:
                returned = callbacks.call(kind, what)
                if inspect.isawaitable(returned):
                    await returned
    except BaseException:
        native.drop_events()
        native.interrupt()
        finished = False
        while not finished:
            await _readable(native)
            _, finished = native.take()
        raise
    return result_of(native)


class AsyncRunning:
    """An execution that was started: :class:`cellblock.Running` for asyncio."""

    def __init__(self, session: AsyncSession, native: _native.Running, callbacks: Callbacks):
        """See :meth:`cellblock.AsyncSession.start`."""
        self._session = session
        self._native = native
        self._task = asyncio.create_task(drive(native, callbacks))
        # What a callback raised may never be asked for.
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def execution_id(self) -> str:
        """The execution's own id."""
        return self._native.execution_id

    def done(self) -> bool:
        """Whether the result is there."""
        return self._task.done()

    async def wait(self, timeout: float | None = None) -> ExecutionResult:
        """Wait for the result, and until every callback has returned.

        Raises TimeoutError when it is not there after ``timeout`` seconds, and what a callback
        raised. The execution goes on when this is cancelled: :meth:`interrupt` ends it.
        """
        done, _ = await asyncio.wait([self._task], timeout=timeout)
        if not done:
            raise TimeoutError(f"the execution has not ended within {timeout} s")
        return self._task.result()

    async def interrupt(self) -> None:
        """End it, with status ``cancelled``; does not wait for the end."""
        self._native.interrupt()

    def __repr__(self) -> str:
        return f"<AsyncRunning {self.execution_id}: {'done' if self.done() else 'not done'}>"
