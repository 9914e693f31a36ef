"""From whatever a model gives back to a Reply."""

import json
from collections.abc import Mapping
from typing import Any

from .messages import Reply, Tokens, ToolCall


def to_reply(answer: Any) -> Reply:
    """A Reply from text, None (nothing was said), a Reply, or an answer in the form of OpenAI's
    chat completions or Anthropic's messages: as a dict, or as an object of their SDKs.

    Raises TypeError or ValueError, with what would be understood, for anything else.
    """
    if isinstance(answer, Reply):
        return answer
    if answer is None:
        return Reply()
    if isinstance(answer, str):
        return Reply(text=answer)
    if hasattr(answer, "model_dump"):
        answer = answer.model_dump()
    if not isinstance(answer, Mapping):
        raise TypeError(
            f"The model gave a {type(answer).__name__}: it must give text, None, a Reply, or a "
            "message as OpenAI's or Anthropic's API has it."
        )
    if "choices" in answer:
        return from_openai(answer)
    if isinstance(answer.get("content"), list) and answer.get("type", "message") == "message":
        return from_anthropic(answer)
    if "content" in answer or "tool_calls" in answer:
        return _from_openai_message(answer)
    raise ValueError(
        f"The model gave a dict with the keys {sorted(map(str, answer))}: a message has `content` "
        "or `tool_calls`."
    )


def from_openai(answer: Mapping[str, Any]) -> Reply:
    """A Reply from an answer of OpenAI's chat completions. Raises ValueError."""
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], Mapping):
        raise ValueError("The answer has no choices.")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise ValueError("The answer's first choice has no message.")
    usage = answer.get("usage")
    reply = _from_openai_message(message)
    return Reply(
        text=reply.text,
        tool_calls=reply.tool_calls,
        tokens=_tokens(usage, ("prompt_tokens",), "completion_tokens"),
        cut=choice.get("finish_reason") == "length",
    )


def _from_openai_message(message: Mapping[str, Any]) -> Reply:
    calls = []
    for number, call in enumerate(_list(message.get("tool_calls"))):
        if not isinstance(call, Mapping):
            raise ValueError("An entry of tool_calls is no object.")
        function = call.get("function")
        function = function if isinstance(function, Mapping) else call
        calls.append(
            ToolCall(
                id=str(call.get("id") or f"call-{number}"),
                name=str(function.get("name", "")),
                arguments=_as_json(function.get("arguments", function.get("args", ""))),
            )
        )
    text = _text_of(message.get("content"))
    return Reply(text=text or _text_of(message.get("refusal")), tool_calls=tuple(calls))


def from_anthropic(answer: Mapping[str, Any]) -> Reply:
    """A Reply from an answer of Anthropic's messages. Raises ValueError."""
    content = answer.get("content")
    if not isinstance(content, list):
        raise ValueError("The answer has no list of content.")
    blocks = [block for block in content if isinstance(block, Mapping)]
    usage = answer.get("usage")
    return Reply(
        text=_text_of(blocks),
        tool_calls=tuple(
            ToolCall(
                id=str(block.get("id") or f"call-{number}"),
                name=str(block.get("name", "")),
                arguments=_as_json(block.get("input", {})),
            )
            for number, block in enumerate(blocks)
            if block.get("type") == "tool_use"
        ),
        tokens=_tokens(
            usage,
            ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            "output_tokens",
        ),
        cut=answer.get("stop_reason") == "max_tokens",
        native=blocks,
    )


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return list(value)
    raise ValueError("tool_calls is no list.")


def _as_json(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _text_of(content: Any) -> str:
    """The text of a content that is text, None or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for block in content:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, Mapping) and block.get("type", "text") == "text":
            texts.append(str(block.get("text", "")))
    return "".join(texts)


def _tokens(usage: Any, prompt: tuple[str, ...], completion: str) -> Tokens | None:
    if not isinstance(usage, Mapping):
        return None
    said = [usage.get(name) for name in (*prompt, completion)]
    counts = [count if isinstance(count, int) and count > 0 else 0 for count in said]
    if not any(counts):
        return None
    return Tokens(prompt=sum(counts[:-1]), completion=counts[-1])
