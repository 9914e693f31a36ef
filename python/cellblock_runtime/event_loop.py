"""Top-level await: one asyncio loop for the session's life, made when it is first needed."""

import asyncio

from .interrupts import is_interrupt
from .own_builtins import __builtins__  # noqa: F401


_MAX_STOPS = 100


class EventLoop:
    """Runs the coroutines that cells with a top-level await compile to."""

    def __init__(self):
        self.loop = None
        self.is_settled = True

    def prepare(self):
        """Before a cell that awaits: have a loop that can run. Runs no user code."""
        asyncio._set_running_loop(None)
        if self.loop is None or self.loop.is_closed() or self.loop.is_running():
            self.loop = asyncio.new_event_loop()
            self.is_settled = True
        asyncio.set_event_loop(self.loop)

    def run(self, coroutine):
        """The coroutine's value; an interrupt cancels it and is passed on."""
        if not self.is_settled:
            self._settle()
        self.is_settled = False
        task = self.loop.create_task(coroutine)
        try:
            value = self._run_until_done(task)
        except BaseException as error:
            if is_interrupt(error):
                self._cancel(task)
            else:
                self.is_settled = True
            raise
        self.is_settled = True
        return value

    def close(self):
        """Give the loop's descriptors back."""
        if self.loop is not None:
            self.loop.close()
            self.loop = None

    def _run_until_done(self, task):
        """Go on where something stopped the loop: `loop.stop()`, or an abandoned task's end."""
        for _ in range(_MAX_STOPS):
            try:
                return self.loop.run_until_complete(task)
            except RuntimeError:
                if task.done() or self.loop.is_running():
                    raise
        raise RuntimeError("the event loop was stopped again and again")

    def _settle(self):
        """One turn of the loop, after which nothing is left of an interrupt within it."""
        self.loop.stop()
        self.loop.run_forever()

    def _cancel(self, task):
        """Give an interrupted task the chance to clean up."""
        if task.done() or self.loop.is_running():
            return
        self._settle()
        task.cancel()
        try:
            self.loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
