"""@tool: functions of one's own that return an ExecutionResult."""

import asyncio

import cellblock
import pytest

from cellblock.langchain import tool


@pytest.fixture
def session(executor):
    with executor.open_session() as opened:
        yield opened


def call_of(made, **arguments):
    return made.invoke({"type": "tool_call", "name": made.name, "id": "c", "args": arguments})


def test_name_description_and_arguments_come_from_the_function(session):
    @tool
    def power(base: int, exponent: int = 2):
        """Raise a number to a power."""
        return session.run(f"{base} ** {exponent}")

    message = call_of(power, base=3)

    assert (power.name, power.description) == ("power", "Raise a number to a power.")
    assert set(power.args) == {"base", "exponent"}
    assert message.artifact["text"] == "9"
    assert message.content.startswith("<session_output ")


def test_with_options_and_with_await(executor):
    async def go():
        async with cellblock.AsyncSession(executor=executor) as session:

            @tool(name="cube", description="Cubes.", images=0)
            async def anything(base: int):
                return await session.run(f"{base} ** 3")

            call = {"type": "tool_call", "name": "cube", "id": "c", "args": {"base": 2}}
            return anything, await anything.ainvoke(call)

    made, message = asyncio.run(go())

    assert (made.name, made.description) == ("cube", "Cubes.")
    assert message.artifact["text"] == "8"


def test_code_that_fails_has_the_status_of_an_error(session):
    @tool
    def fail():
        """Fail."""
        return session.run("1 / 0")

    assert call_of(fail).status == "error"


def test_a_function_that_returns_something_else_is_told_apart():
    @tool
    def wrong():
        """Return text."""
        return "text"

    with pytest.raises(TypeError, match="wrong gave a str: .* returns an ExecutionResult"):
        call_of(wrong)
