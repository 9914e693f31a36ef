"""What the loop and a model say to each other, in no provider's own form."""

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A model's wish to call a tool. `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str

    def to_dict(self) -> dict[str, Any]:
        """The call as OpenAI's chat format has it."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


@dataclass(frozen=True)
class Message:
    """One message of a conversation.

    `tool_calls` is for the assistant's, `tool_call_id` for a tool's answer. `native` is the
    assistant's message as its provider gave it; the endpoint that made it sends it back unchanged.
    """

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    native: Any = field(default=None, repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The message as OpenAI's chat format has it: what a callable model is given."""
        shown: dict[str, Any] = {"role": self.role, "content": self.text}
        if self.tool_calls:
            shown["tool_calls"] = [call.to_dict() for call in self.tool_calls]
        if self.tool_call_id is not None:
            shown["tool_call_id"] = self.tool_call_id
        return shown


@dataclass(frozen=True)
class Tokens:
    """What one or several model calls used; `estimated` where no endpoint counted for us."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        return self.prompt + self.completion

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True)
class Reply:
    """What a model said.

    `tokens` is None where the model does not count. `cut` says that the reply ended at a token
    limit. `notes` tells of what happened on the way, for example a wait for a rate limit.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tokens: Tokens | None = None
    cut: bool = False
    notes: tuple[str, ...] = ()
    native: Any = field(default=None, repr=False, compare=False)

    def to_message(self) -> Message:
        """The reply as a message of the conversation."""
        return Message("assistant", self.text, self.tool_calls, native=self.native)


@dataclass(frozen=True)
class Request:
    """What a model is asked.

    `tool` is the definition of execute_python: `name`, `description`, `parameters` (JSON Schema)
    and, for APIs that take no more than 1024 bytes, `short_description`. `max_tokens` bounds the
    reply, `timeout_s` the wait for it; None is no limit.
    """

    messages: tuple[Message, ...]
    tool: dict[str, Any]
    max_tokens: int | None = None
    timeout_s: float | None = None
