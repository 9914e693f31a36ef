"""What a model gives back is understood in the forms that models' APIs have."""

import types

import pytest
from cellblock.agent import Reply, Tokens, ToolCall
from cellblock.agent.replies import to_reply

OPENAI = {
    "choices": [
        {
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "execute_python", "arguments": '{"code": "1"}'},
                    }
                ],
            },
        }
    ],
    "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "execute_python", "input": {"code": "1"}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 100},
}


def test_text_is_text_and_nothing_is_an_empty_reply():
    assert to_reply("hello") == Reply("hello")
    assert to_reply(None) == Reply()
    assert to_reply("") == Reply()


def test_a_chat_completion_is_understood():
    reply = to_reply(OPENAI)

    assert reply.tool_calls == (ToolCall("c1", "execute_python", '{"code": "1"}'),)
    assert reply.text == ""
    assert reply.tokens == Tokens(10, 5)


def test_a_message_alone_and_the_objects_of_an_sdk_are_understood():
    message = OPENAI["choices"][0]["message"]
    of_an_sdk = types.SimpleNamespace(model_dump=lambda: OPENAI)

    assert to_reply(message).tool_calls == to_reply(of_an_sdk).tool_calls
    assert to_reply({"role": "assistant", "content": "hi"}).text == "hi"
    assert to_reply({"content": [{"type": "text", "text": "a"}], "type": "other"}).text == "a"


def test_arguments_that_came_as_an_object_are_json_text():
    call = {"name": "execute_python", "args": {"code": "1"}, "id": "x"}

    assert (
        to_reply({"content": "", "tool_calls": [call]}).tool_calls[0].arguments == '{"code": "1"}'
    )


def test_a_message_of_anthropics_is_understood_and_kept_as_it_came():
    reply = to_reply(ANTHROPIC)

    assert reply.text == "I look."
    assert reply.tool_calls == (ToolCall("t1", "execute_python", '{"code": "1"}'),)
    assert reply.tokens == Tokens(107, 3)
    assert reply.to_message().native == ANTHROPIC["content"]


def test_a_reply_that_was_cut_says_so():
    cut = {"choices": [{"finish_reason": "length", "message": {"content": "x"}}]}

    assert to_reply(cut).cut
    assert to_reply(ANTHROPIC | {"stop_reason": "max_tokens"}).cut
    assert not to_reply(OPENAI).cut


@pytest.mark.parametrize(
    "answer",
    [
        42,
        object(),
        {},
        {"choices": []},
        {"choices": ["x"]},
        {"choices": [{}]},
        {"error": {"message": "no"}},
        {"content": "", "tool_calls": "x"},
        {"content": "", "tool_calls": ["x"]},
    ],
    ids=str,
)
def test_anything_else_is_refused_with_a_sentence(answer):
    with pytest.raises((TypeError, ValueError), match=r"\.$"):
        to_reply(answer)


def test_usage_that_makes_no_sense_counts_as_not_given():
    message = {"choices": [{"message": {"content": "x"}}]}

    assert to_reply(message | {"usage": None}).tokens is None
    assert to_reply(message | {"usage": {"prompt_tokens": "many"}}).tokens is None
    assert to_reply(message | {"usage": {"prompt_tokens": -5}}).tokens is None
