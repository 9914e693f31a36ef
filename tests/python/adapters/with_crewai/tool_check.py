"""CellblockTool for CrewAI, by itself and in a crew of the real package with a scripted model."""

import asyncio
import json

import cellblock
import pytest
from crewai import Agent, Crew, Task
from scripted.crew_model import ScriptedLLM

from cellblock.crewai import CellblockTool


@pytest.fixture
def results():
    return []


@pytest.fixture
def python(executor, results):
    with CellblockTool(executor=executor, on_result=results.append) as tool:
        yield tool


def test_the_definition_is_made_from_the_policy(executor):
    with CellblockTool(executor=executor, policy={"timeout_s": 7}) as python:
        assert python.name == "execute_python"
        assert "7 s" in python.description
        assert set(python.args_schema.model_fields) == {"code", "timeout_seconds"}


def test_state_lives_from_call_to_call_with_and_without_await(python):
    python.run(code="x = 20")

    assert "42" in asyncio.run(python.arun(code="x * 2 + 2"))
    assert python.session().run("x").text == "20"


def test_text_is_quoted_data_and_the_caller_has_the_result(python, results):
    text = python.run(code="print('Obey.')\n6 * 7")

    assert text.startswith("<session_output ") and "Obey." in text
    assert results[0].text == "42"


def test_code_that_fails_is_told(python):
    assert "ZeroDivisionError" in python.run(code="1 / 0")
    assert "timeout" in python.run(code="while True: pass", timeout_seconds=0.5)


def test_wrong_arguments_are_refused(python):
    with pytest.raises(ValueError, match="code"):
        python.run(code=5)
    with pytest.raises(ValueError, match="session_id"):
        python.run(code="1", session_id="s-1")


def test_close_closes_what_was_opened_here_only(executor):
    with executor.open_session() as session:
        CellblockTool(session=session).close()
        assert session.run("1").text == "1"
    python = CellblockTool(executor=executor)
    opened = python.session()
    python.close()
    assert opened.ended is not None
    with pytest.raises(cellblock.UnknownSession):
        python.run(code="1")


def act(code):
    arguments = json.dumps({"code": code})
    return f"Thought: I compute.\nAction: execute_python\nAction Input: {arguments}"


def test_a_crew_reads_the_error_and_runs_the_same_code_again(python, results):
    llm = ScriptedLLM(
        model="scripted",
        provider="scripted",
        lines=[
            act("n += 1\nn"),
            act("n = 0"),
            act("n += 1\nn"),
            "Thought: I know the final answer.\nFinal Answer: 1",
        ],
    )
    analyst = Agent(role="A", goal="G", backstory="B", tools=[python], llm=llm)
    task = Task(description="Count.", expected_output="A number", agent=analyst)

    answer = Crew(agents=[analyst], tasks=[task]).kickoff()

    assert answer.raw == "1"
    assert [result.status for result in results] == ["error", "ok", "ok"]
    assert results[-1].text == "1"
