"""What a run did: every message, every execution, what it cost and why it stopped."""

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .messages import Message, Tokens


class StopReason(str, Enum):
    """Why a run ended."""

    ANSWERED = "answered"  # the model answered, and its last code had not failed
    SUCCEEDED = "succeeded"  # code ran without an error, with until="success"
    GAVE_UP = "gave_up"  # the model stopped sending code though its last had failed
    SAME_ERROR = "same_error"  # the same error came again
    ATTEMPTS = "attempts"  # max_attempts pieces of code have failed
    EXECUTIONS = "executions"  # the budget's executions are used up
    WALL_TIME = "wall_time"  # the budget's time is used up
    TOKENS = "tokens"  # the budget's tokens are used up, or the next call would pass them
    NO_CODE = "no_code"  # two replies in a row were empty or not to be understood
    CANCELLED = "cancelled"  # somebody interrupted the execution
    MODEL_ERROR = "model_error"  # the model or its endpoint failed: run() raises AgentError
    SESSION_ERROR = "session_error"  # the session failed, not the code: run() raises AgentError

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Execution:
    """One piece of code that was run.

    `attempt` counts from 1 and goes up after each failure. `state` is what the next code finds:
    `kept`, `rolled_back` (as before this code) or `lost` (a fresh process). `signature` is the
    error's, None when the code succeeded. `result` is the session's ExecutionResult.
    """

    attempt: int
    code: str
    result: Any
    signature: str | None
    state: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "attempt": self.attempt,
            "code": self.code,
            "result": self.result.to_dict(),
            "signature": self.signature,
            "state": self.state,
        }


@dataclass(frozen=True)
class Cost:
    """What a run used. Seconds are wall clock; `tokens` of all model calls together."""

    model_calls: int = 0
    executions: int = 0
    failed: int = 0
    tokens: Tokens = Tokens()
    wall_s: float = 0.0
    model_s: float = 0.0
    execution_s: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        return {
            "model_calls": self.model_calls,
            "executions": self.executions,
            "failed": self.failed,
            "tokens": {
                "prompt": self.tokens.prompt,
                "completion": self.tokens.completion,
                "estimated": self.tokens.estimated,
            },
            "wall_s": round(self.wall_s, 3),
            "model_s": round(self.model_s, 3),
            "execution_s": round(self.execution_s, 3),
        }


@dataclass
class Transcript:
    """What a run did. `stop` is None only while it goes on.

    `answer` is the model's last word, None where it had none. `notes` tells what happened beside
    the conversation: waits for rate limits, state that could not be rolled back. `error` is the
    sentence of what failed, for `model_error` and `session_error`.
    """

    task: str
    messages: list[Message] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    stop: StopReason | None = None
    answer: str | None = None
    notes: list[str] = field(default_factory=list)
    error: str | None = None
    cost: Cost = Cost()

    @property
    def succeeded(self) -> bool:
        """Whether the model answered (or its code ran, with until="success")."""
        return self.stop in (StopReason.ANSWERED, StopReason.SUCCEEDED)

    @property
    def result(self) -> Any:
        """The last execution's ExecutionResult, or None."""
        return self.executions[-1].result if self.executions else None

    def to_dict(self) -> dict[str, Any]:
        """Everything, as values that JSON has."""
        return {
            "task": self.task,
            "stop": None if self.stop is None else str(self.stop),
            "answer": self.answer,
            "error": self.error,
            "cost": self.cost.to_dict(),
            "notes": list(self.notes),
            "messages": [message.to_dict() for message in self.messages],
            "executions": [execution.to_dict() for execution in self.executions],
        }

    def to_json(self, indent: int | None = None) -> str:
        """`to_dict()` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def __repr__(self) -> str:
        tokens = f"{'about ' if self.cost.tokens.estimated else ''}{self.cost.tokens.total}"
        return (
            f"<Transcript {self.stop}: {self.cost.executions} executions, {self.cost.failed} "
            f"failed, {self.cost.model_calls} model calls, {tokens} tokens, "
            f"{self.cost.wall_s:.1f} s>"
        )

    def __str__(self) -> str:
        """The run as a text to read: each piece of code with how it ended, then the answer."""
        parts = [f"task: {self.task}"]
        for number, execution in enumerate(self.executions, 1):
            parts.append(f"--- execution {number}, attempt {execution.attempt}")
            parts.append(_indented(execution.code, "    "))
            parts.append(_ending(execution))
        parts += [f"note: {note}" for note in self.notes]
        if self.answer:
            parts.append(f"answer: {self.answer}")
        if self.error:
            parts.append(f"error: {self.error}")
        return "\n".join([*parts, repr(self)])


def _ending(execution: Execution) -> str:
    result = execution.result
    if execution.signature is None:
        shown = result.text if result.text is not None else result.stdout.strip()
        return _indented(shown, "  = ") if shown else "  ok"
    error = result.error
    words = f"{error.name}: {error.value}" if error is not None else result.status
    return _indented(f"{words} (state {execution.state})", "  ! ")


def _indented(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.splitlines())
