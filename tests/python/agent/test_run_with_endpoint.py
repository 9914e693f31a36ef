"""The loop with a model behind HTTP."""

import pytest
from cellblock import agent
from cellblock.agent import AgentError, AnthropicModel, Budget, OpenAIModel, StopReason
from fake_endpoint import Said, anthropic_says, openai_says


def test_a_task_by_openais_api(session, endpoint):
    server = endpoint(
        openai_says("Let me see.", "prices = [3, 5]\nsum(price)"),
        Said({"error": {"message": "slow down"}}, 429, {"Retry-After": "0"}),
        openai_says("", "sum(prices)"),
        openai_says("It is 8."),
    )

    transcript = agent.run(OpenAIModel("m", "k", server.url), "Sum the prices.", session)

    assert (transcript.answer, transcript.cost.failed) == ("It is 8.", 1)
    assert (transcript.cost.tokens.total, transcript.cost.tokens.estimated) == (330, False)
    assert any("HTTP 429: slow down" in note for note in transcript.notes)
    last = server.requests[-1]["messages"]
    assert [m["role"] for m in last[-4:]] == ["assistant", "tool", "assistant", "tool"]
    assert last[-1]["tool_call_id"] == last[-2]["tool_calls"][0]["id"]
    # The tool's words are given once, as a tool.
    (tool,) = server.requests[0]["tools"]
    assert set(tool["function"]["parameters"]["properties"]) == {"code", "timeout_seconds"}
    assert set(tool["function"]) == {"name", "description", "parameters"}
    assert "State persists" in tool["function"]["description"]
    assert len(tool["function"]["description"].encode()) <= 1024
    assert "State persists" not in last[0]["content"]


def test_a_task_by_anthropics_api(session, endpoint):
    server = endpoint(
        anthropic_says("I divide.", "1 / 0", "t1"),
        anthropic_says("", "6 * 7", "t2"),
        anthropic_says("It is 42."),
    )

    transcript = agent.run(AnthropicModel("m", "k", server.url), "Compute.", session)

    assert transcript.answer == "It is 42."
    turns = server.requests[-1]["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 2 + ["user"]
    assert turns[2]["content"][0]["tool_use_id"] == "t1"
    assert "ZeroDivisionError" in turns[2]["content"][0]["content"]


def test_a_server_without_tools_sends_fenced_code(session, endpoint):
    server = endpoint(openai_says("```python\n6 * 7\n```"), openai_says("42."))

    transcript = agent.run(OpenAIModel("m", base_url=server.url, tools=False), "Go.", session)

    assert transcript.answer == "42."
    assert "State persists" in server.requests[0]["messages"][0]["content"]


def test_an_endpoint_that_fails_is_raised_with_what_was_done(session, endpoint):
    server = endpoint(openai_says("", "x = 1"), Said({"error": {"message": "bad key"}}, 401))

    with pytest.raises(AgentError, match="HTTP 401: bad key") as caught:
        agent.run(OpenAIModel("m", "k", server.url), "Go.", session)

    assert caught.value.transcript.cost.executions == 1


def test_an_endpoint_that_hangs_ends_with_the_budgets_time(session, endpoint):
    server = endpoint(Said(hang=True))

    transcript = agent.run(
        OpenAIModel("m", "k", server.url), "Go.", session, budget=Budget(wall_s=1)
    )

    assert transcript.stop is StopReason.WALL_TIME
    assert transcript.cost.wall_s < 5


def test_the_reply_is_asked_to_fit_into_the_tokens_that_are_left(session, endpoint):
    server = endpoint(openai_says("", "1", tokens=(2500, 100)), openai_says("One."))

    agent.run(OpenAIModel("m", "k", server.url), "Go.", session, budget=Budget(tokens=8000))

    first, second = (sent["max_completion_tokens"] for sent in server.requests)
    assert 8000 > first > second > 0
    assert first - second >= 2500
