"""The same loop with await."""

import asyncio
import time

import cellblock
import pytest
from cellblock import agent
from cellblock.agent import AgentError, Budget, StopReason
from scripts import Script, code


def run(*arguments, **options):
    return asyncio.run(agent.run_async(*arguments, **options))


class AsyncScript(Script):
    async def __call__(self, messages):
        await asyncio.sleep(0)
        return super().__call__(messages)


@pytest.mark.parametrize("kind", [Script, AsyncScript])
def test_synchronous_and_asynchronous_models_do_a_task(session, kind):
    model = kind(code("1/0"), code("6 * 7"), "42.")

    transcript = run(model, "Compute.", session)

    assert (transcript.stop, transcript.answer) == (StopReason.ANSWERED, "42.")
    assert transcript.cost.failed == 1


def test_an_async_session_is_opened_and_used(executor):
    async def go():
        async with cellblock.AsyncSession(executor=executor) as session:
            return await agent.run_async(Script(code("x = 1"), "Done."), "Set x.", session)

    assert asyncio.run(go()).succeeded


def test_the_loop_is_not_blocked_by_code_or_model(session):
    async def go():
        ticks = 0
        script = Script(lambda _: time.sleep(0.3) or code("import time; time.sleep(0.5)"), "Done.")
        task = asyncio.create_task(agent.run_async(script, "Wait.", session))
        while not task.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, await task

    ticks, transcript = asyncio.run(go())

    assert transcript.succeeded
    assert ticks > 10


def test_a_model_that_is_too_slow_ends_with_the_time(session):
    async def model(_):
        await asyncio.sleep(60)

    started = time.monotonic()
    transcript = run(model, "Wait.", session, budget=Budget(wall_s=0.5))

    assert transcript.stop is StopReason.WALL_TIME
    assert time.monotonic() - started < 10


def test_a_models_own_timeout_is_an_error_and_not_the_budgets(session):
    async def model(_):
        raise TimeoutError("the model's own")

    with pytest.raises(AgentError, match="the model's own"):
        run(model, "Wait.", session)


def test_cancelling_interrupts_the_code_under_way(session):
    async def go():
        script = Script(code("while True: pass"))
        task = asyncio.create_task(agent.run_async(script, "Loop.", session))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(go())

    assert session.run("1 + 1", 5).text == "2"


def test_what_a_model_raises_is_raised_also_what_iterators_raise(session):
    with pytest.raises(AgentError, match="The model failed"):
        run(lambda _: next(iter(())), "Go.", session)
