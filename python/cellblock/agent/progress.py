"""A run under way: the action that is due, and what came of it."""

import time
from collections.abc import Callable
from typing import Any

from cellblock import Unsupported

from .errors import AgentError
from .loop import Action, Ask, Checkpoint, Loop, OutOfTime, Run
from .replies import to_reply
from .transcript import StopReason, Transcript


class Progress:
    """Takes a loop from action to action. `action` is None when the run has ended."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._steps = loop.steps()
        self.action: Action | None = None
        self._go_on(self._steps.send, None)

    def done(self, outcome: Any) -> None:
        """The action is done. Raises AgentError when a model's answer cannot be read."""
        if isinstance(self.action, Ask):
            try:
                outcome = to_reply(outcome)
            except (TypeError, ValueError) as error:
                self._fail(error)
        if isinstance(self.action, (Ask, Run)):
            outcome = (outcome, time.monotonic() - self._started)
        self._go_on(self._steps.send, outcome)

    def failed(self, error: Exception) -> None:
        """The action raised. Raises AgentError unless the loop can go on from that."""
        if isinstance(self.action, Checkpoint) and isinstance(error, Unsupported):
            self._go_on(self._steps.throw, error)
        elif isinstance(self.action, Ask) and isinstance(error, TimeoutError) and self._late():
            self._go_on(self._steps.throw, OutOfTime())
        else:
            self._fail(error)

    def transcript(self) -> Transcript:
        """What was done. Raises AgentError when the session failed."""
        self._loop.account()
        if self._loop.transcript.error is not None:
            raise AgentError(self._loop.transcript)
        return self._loop.transcript

    def _late(self) -> bool:
        limit = self.action.request.timeout_s if isinstance(self.action, Ask) else None
        return limit is not None and time.monotonic() - self._started >= limit * 0.99

    def _go_on(self, advance: Callable[[Any], Action], value: Any) -> None:
        try:
            self.action = advance(value)
        except StopIteration:
            self.action = None
        self._started = time.monotonic()

    def _fail(self, error: Exception) -> None:
        transcript = self._loop.transcript
        of_model = isinstance(self.action, Ask)
        transcript.stop = StopReason.MODEL_ERROR if of_model else StopReason.SESSION_ERROR
        who = "The model" if of_model else "The session"
        transcript.error = f"{who} failed: {type(error).__name__}: {error}"
        transcript.notes += getattr(error, "notes", ())
        self._loop.account()
        raise AgentError(transcript) from error
