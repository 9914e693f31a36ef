"""The asyncio classes: what blocks is awaited, and a cancellation interrupts the run."""

import asyncio
import gc
import os
import threading
import time

import cellblock
import pytest
from cellblock import AsyncExecutor, AsyncSession
from processes import comes_true


def awaited(coroutine_function):
    """Make a test of a coroutine function: it runs in a loop of its own, 60 s at most."""

    def test():
        asyncio.run(asyncio.wait_for(coroutine_function(), 60))

    test.__name__ = coroutine_function.__name__
    test.__doc__ = coroutine_function.__doc__
    return test


@awaited
async def test_the_calls_are_those_of_a_session():
    async with AsyncExecutor(preload=[]) as executor:
        async with await executor.open_session() as session:
            assert (await session.run("x = 1; print('out')\nx + 1")).text == "2"
            assert [variable.name for variable in await session.variables()] == ["x"]
            assert (await session.complete("pri")).matches == ["print"]
            assert (await session.inspect("len")).found
            assert (await session.is_complete("x")).status == "complete"
            assert await session.upload("a.txt", b"abc") == "a.txt"
            await session.append("a.txt", "d")
            assert await session.download("a.txt") == b"abcd"
            assert [file.path for file in await session.files()] == ["a.txt"]
            assert (await session.stat("a.txt")).size == 4
            running = await session.start("print('paged')")
            result = await running.wait()
            assert (await session.output(result.execution_id)).text == "paged\n"
            async with await session.open_context() as context:
                assert (await context.run("open('a.txt').read()")).text == "'abcd'"
            await session.reset()
            assert await session.variables() == []
            assert session.id and session.isolation.level and session.ended is None
        assert isinstance(session.ended, cellblock.UnknownSession)
        assert (await executor.run("6 * 7")).text == "42"
        assert (await executor.info()).executor == "fork"
    assert executor.closed


@awaited
async def test_a_session_opens_by_await_with_or_first_use():
    async with AsyncExecutor(preload=[]) as executor:
        by_await = await AsyncSession(executor=executor)
        by_use = AsyncSession(executor=executor)
        ids = await asyncio.gather(*(by_use.run("1") for _ in range(4)))
        assert len({result.session_id for result in ids}) == 1
        assert by_await.id != by_use.id
        with pytest.raises(cellblock.PolicyInvalid):
            await AsyncSession({"nope": 1}, executor=executor)


@awaited
async def test_callbacks_may_be_coroutines_and_are_awaited_in_order():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:
        told = []

        async def slow(text):
            await asyncio.sleep(0.05)
            told.append(text)
            assert threading.current_thread() is threading.main_thread()

        result = await session.run(
            "for i in range(3): print(i, flush=True); display(i)",
            on_stdout=slow,
            on_result=lambda data: told.append(data.text),
        )
        assert result.ok
        assert "".join(text for text in told if text.endswith("\n")) == "0\n1\n2\n"
        assert [text for text in told if not text.endswith("\n")] == ["0", "1", "2"]


@awaited
async def test_the_loop_is_idle_while_a_callback_waits():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:

        async def slow(text):
            begin = time.process_time()
            await asyncio.sleep(1)
            used.append(time.process_time() - begin)

        used = []
        await session.run("print(1, flush=True)\nprint(2)", on_stdout=slow)
        assert min(used) < 0.5


@awaited
async def test_an_exception_in_a_callback_ends_the_run():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:

        async def fails(text):
            raise LookupError("from the callback")

        with pytest.raises(LookupError):
            await session.run("print(1, flush=True)\nwhile True: pass", on_stdout=fails)
        running = await session.start("print(1, flush=True)\nwhile True: pass", on_stdout=fails)
        with pytest.raises(LookupError):
            await running.wait()
        assert (await session.run("1")).ok


@awaited
async def test_cancelling_a_task_interrupts_its_run():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:
        started = asyncio.Event()
        task = asyncio.create_task(
            session.run(
                "kept = 1\nprint(1, flush=True)\nwhile True: pass",
                on_stdout=lambda text: started.set(),
            )
        )
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # It has ended by then: the session is free, and what it had is kept.
        assert (await session.run("kept", 10)).text == "1"


@awaited
async def test_an_interrupt_while_the_session_opens_ends_the_run_that_waits_for_it():
    async with AsyncExecutor(preload=[]) as executor:
        session = AsyncSession(executor=executor)
        await session.interrupt()  # nothing is there to interrupt
        run = asyncio.create_task(session.run("while True: pass"))
        await asyncio.sleep(0)  # it has begun to open
        await session.interrupt()
        assert (await run).status == "cancelled"
        await session.close()


@awaited
async def test_wait_for_interrupts_what_takes_too_long():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(session.run("while True: pass"), 0.3)
        assert (await session.run("1")).ok


@awaited
async def test_a_started_run_outlives_a_cancelled_wait():
    async with AsyncExecutor(preload=[]) as executor, AsyncSession(executor=executor) as session:
        running = await session.start("import time\ntime.sleep(0.5)\n'done'")
        with pytest.raises(TimeoutError):
            await running.wait(0.01)
        with pytest.raises((TimeoutError, asyncio.TimeoutError)):
            await asyncio.wait_for(running.wait(), 0.01)
        assert (await running.wait()).text == "'done'"
        other = await session.start("while True: pass")
        await other.interrupt()
        assert (await other.wait()).status == "cancelled"
        third = await session.start("while True: pass")
        await session.interrupt()
        await third.interrupt()
        assert (await third.wait()).status == "cancelled"


@awaited
async def test_many_sessions_run_side_by_side_without_threads():
    async with AsyncExecutor(preload=[]) as executor:
        sessions = [await executor.open_session() for _ in range(8)]
        before = threading.active_count()
        seen = []

        async def one(session, number):
            result = await session.run(
                f"import time\nprint({number}, flush=True)\ntime.sleep(0.3)\n{number}",
                on_stdout=lambda text: seen.append(threading.active_count()),
            )
            assert result.text == str(number)

        await asyncio.gather(*(one(session, i) for i, session in enumerate(sessions)))
        assert max(seen) <= before


@awaited
async def test_a_session_whose_opening_is_cancelled_is_closed():
    async with AsyncExecutor(preload=[], max_sessions=1) as executor:
        await executor.info()
        for _ in range(3):
            opening = asyncio.create_task(executor.open_session())
            await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
        # What was opened for nobody goes away, so that there is room again.
        async with asyncio.timeout(30):
            while True:
                try:
                    session = await executor.open_session()
                    break
                except cellblock.BusyLimit:
                    await asyncio.sleep(0.05)
        assert (await session.run("1")).ok


def test_loops_come_and_go_with_one_executor(executor):
    async def work():
        async with AsyncSession(executor=executor) as session:
            assert (await session.run("print(1)", on_stdout=lambda text: None)).ok

    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    asyncio.run(work())
    most = descriptors() + 8
    for _ in range(20):
        asyncio.run(work())
    gc.collect()
    # Those of a closed session go when its processes have ended.
    assert comes_true(lambda: descriptors() <= most)
