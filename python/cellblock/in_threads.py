"""Calls that block, for asyncio: each on a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Await what a blocking call returns.

    Not in the loop's own pool, which other code needs while a call waits for a long run. When the
    awaiting task is cancelled the call goes on, and what it returns is dropped.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.done():
            return
        if isinstance(error, StopIteration):
            # A future refuses it: whoever awaits could not tell it from its own end.
            raised = RuntimeError("the call raised StopIteration")
            raised.__cause__ = error
            future.set_exception(raised)
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def work() -> None:
        result, error = None, None
        try:
            result = call(*args, **kwargs)
        except BaseException as raised:
            error = raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            pass  # the loop has been closed: nobody waits any more

    threading.Thread(target=work, name="cellblock-call", daemon=True).start()
    return await future
