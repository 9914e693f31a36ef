"""Anthropic's messages."""

import json
from collections.abc import Mapping
from typing import Any

from ..messages import Message, Reply, Request
from ..replies import from_anthropic
from .endpoint import Endpoint


class AnthropicModel(Endpoint):
    """A model behind Anthropic's messages API, or a server that speaks it: `base_url` is what
    `/v1/messages` is put behind."""

    _api = "Anthropic's messages API"
    _path = "/v1/messages"

    def __init__(
        self,
        model: str,
        key: str | None = None,
        base_url: str = "https://api.anthropic.com",
        *,
        max_tokens: int = 8192,
        retries: int = 4,
        timeout_s: float = 300.0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            model,
            key,
            base_url,
            max_tokens=max_tokens,
            retries=retries,
            timeout_s=timeout_s,
            options=options,
        )

    def _headers(self) -> dict[str, str]:
        headers = {"anthropic-version": "2023-06-01"}
        return headers | {"x-api-key": self._key} if self._key else headers

    def _body(self, request: Request, max_tokens: int) -> dict[str, Any]:
        tool = request.tool
        return {
            "model": self.model,
            "system": "\n\n".join(m.text for m in request.messages if m.role == "system"),
            "messages": to_turns(request.messages),
            "max_tokens": max_tokens,
            "tools": [
                {
                    "name": tool["name"],
                    "description": tool["description"],
                    "input_schema": tool["parameters"],
                }
            ],
        } | self.options

    def _to_reply(self, answer: dict[str, Any]) -> Reply:
        return from_anthropic(answer)


def to_turns(messages: tuple[Message, ...]) -> list[dict[str, Any]]:
    """The messages but the system's, the user's and the assistant's taking turns: the answers of
    tools are the user's there, all answers to one message in one."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.native is not None:
        return list(message.native)
    if message.role == "tool":
        answer = {"type": "tool_result", "tool_use_id": message.tool_call_id}
        return [answer | {"content": message.text}]
    blocks: list[dict[str, Any]] = []
    if message.text.strip():  # an empty block is refused
        blocks.append({"type": "text", "text": message.text})
    for call in message.tool_calls:
        blocks.append(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": _object(call.arguments)}
        )
    return blocks


def _object(arguments: str) -> dict[str, Any]:
    """The arguments as an object; what is none is kept as text, for the model to see."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}
