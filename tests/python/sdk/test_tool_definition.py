"""The definition of execute_python for a program whose model calls it."""

import asyncio
import json
import subprocess

import cellblock
import pytest


def test_each_format_has_its_own_shape(session):
    openai = session.tool_definition()["function"]
    anthropic = session.tool_definition("anthropic")

    assert openai["name"] == anthropic["name"] == "execute_python"
    assert openai["parameters"] == anthropic["input_schema"]
    assert session.tool_definition("mcp")["inputSchema"] == anthropic["input_schema"]
    assert session.tool_definition("langchain")["response_format"] == "content_and_artifact"
    assert session.tool_definition("json")["prompt"].startswith("You have a tool")


def test_the_caller_not_the_model_says_in_which_session_code_runs(session):
    everything = session.tool_definition("json")

    assert set(everything["input_schema"]["properties"]) == {"code", "timeout_seconds"}
    assert "session_id" not in everything["description"]
    assert "session_id" not in everything["short_description"]


def test_it_is_made_from_the_policy(executor):
    policy = cellblock.SecurityPolicy(timeout_s=7, max_stdout_bytes=4096, allowed_imports=["json"])
    with executor.open_session(policy) as session:
        everything = session.tool_definition("json")

    assert everything == executor.tool_definition("json", policy)
    assert everything["input_schema"]["properties"]["timeout_seconds"]["default"] == 7
    assert everything["model_text_bytes"] == 4096
    assert everything["packages"] == ["json"]


def test_it_is_the_one_that_the_command_line_prints_but_for_sessions(executor, binary):
    printed = json.loads(
        subprocess.check_output([binary, "tool-schema", "--format", "openai", "--preload", ""])
    )["function"]
    made = executor.tool_definition()["function"]

    assert (
        printed["description"]
        .replace(" Without session_id all calls share one session.", "")
        .startswith(made["description"][:300])
    )
    assert printed["parameters"]["properties"].pop("session_id")
    assert printed["parameters"] == made["parameters"]


def test_it_can_be_awaited(executor):
    async def ask():
        async with cellblock.AsyncSession(executor=executor) as session:
            return await session.tool_definition()

    assert asyncio.run(ask()) == executor.tool_definition()


def test_an_async_session_shares_a_session(session):
    async def go():
        shared = cellblock.AsyncSession.around(session)
        await shared.run("x = 41")
        return shared.id

    assert asyncio.run(go()) == session.id
    assert session.run("x + 1").text == "42"


def test_a_format_that_is_not_there_is_refused(session):
    with pytest.raises(cellblock.BadArgument, match="openai, anthropic, mcp, langchain or json"):
        session.tool_definition("xml")
