"""Hard caps of one run, and what of them is used."""

import time
from dataclasses import dataclass, fields

from .messages import Message, Tokens

# What a token is taken to be where nobody counts: a rough mean for English and code.
BYTES_PER_TOKEN = 4
# What a message costs beyond its text.
TOKENS_PER_MESSAGE = 4


@dataclass(frozen=True)
class Budget:
    """Caps of one run; None is no limit.

    executions    pieces of code that are run
    wall_s        seconds from the start of the run; a model call or an execution under way is cut
                  short (a plain synchronous callable cannot be: the cap holds when it returns)
    tokens        prompt and completion tokens of all model calls together, as the endpoint counts
                  them, else estimated. A call that would pass the cap is not made
    same_error    stop when the same error has come this often
    result_bytes  what the model is shown of one result; the tool's words say 16 KB
    """

    executions: int | None = 20
    wall_s: float | None = 600.0
    tokens: int | None = 200_000
    same_error: int | None = 2
    result_bytes: int = 16_384

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            if value is None and item.name != "result_bytes":
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
                raise ValueError(
                    f"Budget.{item.name} is {value!r}: give a number above 0, or None for no limit."
                )


def estimate_tokens(messages: tuple[Message, ...], extra_bytes: int = 0) -> int:
    """About how many tokens the messages are, with `extra_bytes` of further text."""
    size = extra_bytes
    for message in messages:
        texts = [message.text]
        for call in message.tool_calls:
            texts += [call.name, call.arguments]
        size += sum(len(text.encode(errors="replace")) for text in texts)
    return -(-size // BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE * len(messages)


class Spending:
    """What a run has used. For one thread."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.started = time.monotonic()
        self.executions = 0
        self.tokens = Tokens()

    @property
    def wall_s(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started

    def wall_left(self) -> float | None:
        """Seconds that are left, at least 0; None without a limit."""
        if self.budget.wall_s is None:
            return None
        return max(0.0, self.budget.wall_s - self.wall_s)

    def tokens_left(self) -> int | None:
        """Tokens that are left, at least 0; None without a limit."""
        if self.budget.tokens is None:
            return None
        return max(0, self.budget.tokens - self.tokens.total)

    def executions_left(self) -> int | None:
        """Executions that are left; None without a limit."""
        if self.budget.executions is None:
            return None
        return self.budget.executions - self.executions
