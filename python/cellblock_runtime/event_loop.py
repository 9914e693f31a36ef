"""Top-level await: one asyncio loop for the session's life, made when it is first needed."""

import asyncio

from .own_builtins import __builtins__  # noqa: F401


class EventLoop:
    """Runs the coroutines that cells with a top-level await compile to."""

    def __init__(self):
        self.loop = None

    def run(self, coroutine):
        """The coroutine's value; an interrupt cancels it and is passed on."""
        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            self._cancel(task)
            raise

    def close(self):
        """Give the loop's descriptors back."""
        if self.loop is not None:
            self.loop.close()
            self.loop = None

    def _cancel(self, task):
        if task.done():
            return
        task.cancel()
        try:
            self.loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
