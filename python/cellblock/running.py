"""An execution that goes on while its caller does something else."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

from . import _native
from .callbacks import Callbacks
from .result import ExecutionResult

if TYPE_CHECKING:
    from .session import Session


def result_of(native: _native.Running) -> ExecutionResult:
    """Read the result of an execution that is done."""
    return ExecutionResult(json.loads(native.result().to_json()))


def drive(native: _native.Running, callbacks: Callbacks) -> ExecutionResult:
    """Hand the events on as they come and return the result.

    Whatever a callback raises, or a signal handler (KeyboardInterrupt), interrupts the execution
    and is raised when that has ended; a second Ctrl-C does not wait for it.
    """
    try:
        finished = False
        while not finished:
            native.wait(None)
            events, finished = native.take()
            for kind, what in events:
                callbacks.call(kind, what)
    except BaseException:
        native.drop_events()
        native.interrupt()
        finished = False
        while not finished:
            native.wait(None)
            _, finished = native.take()
        raise
    return result_of(native)


class Running:
    """An execution that was started. Dropping it does not stop it. Thread-safe.

    It keeps its session open.
    """

    def __init__(self, session: Session, native: _native.Running, callbacks: Callbacks):
        """See :meth:`cellblock.Session.start`."""
        self._session = session
        self._native = native
        self._failure: BaseException | None = None
        # Not the thread itself is joined: that cannot be done again after a Ctrl-C.
        self._driven: threading.Event | None = None
        if callbacks.any:
            self._driven = threading.Event()
            threading.Thread(
                target=self._drive,
                args=(callbacks, self._driven),
                name="cellblock-callbacks",
                daemon=True,
            ).start()

    def _drive(self, callbacks: Callbacks, driven: threading.Event) -> None:
        try:
            drive(self._native, callbacks)
        except BaseException as failure:
            self._failure = failure
        finally:
            driven.set()

    @property
    def execution_id(self) -> str:
        """The execution's own id."""
        return self._native.execution_id

    def done(self) -> bool:
        """Whether the result is there."""
        return self._native.done()

    def wait(self, timeout: float | None = None) -> ExecutionResult:
        """Wait for the result, and until every callback has returned.

        Raises TimeoutError when it is not there after ``timeout`` seconds (the execution goes on),
        and what a callback raised. Ctrl-C meanwhile interrupts the execution.
        """
        try:
            if self._driven is not None:
                ended = self._driven.wait(timeout)
            else:
                ended = self.done() or self._native.wait(timeout)
        except KeyboardInterrupt:
            self.interrupt()
            raise
        if not ended:
            raise TimeoutError(f"the execution has not ended within {timeout} s")
        if self._failure is not None:
            raise self._failure
        return result_of(self._native)

    def interrupt(self) -> None:
        """End it, with status ``cancelled``; one that is queued never starts. Does not wait."""
        self._native.interrupt()

    def __repr__(self) -> str:
        return f"<Running {self.execution_id}: {'done' if self.done() else 'not done'}>"
