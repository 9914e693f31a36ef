"""The loop itself: what is asked and run next, without asking or running anything.

`Loop.steps()` yields actions and is sent what came of each; `run.py` performs them, waiting or
with await.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cellblock import Unsupported

from . import prompts
from .budget import Budget, Spending, estimate_tokens
from .cells import Cell, cells_of
from .code_blocks import without_thoughts
from .messages import Message, Reply, Request, Tokens
from .signature import error_signature
from .transcript import Cost, Execution, StopReason, Transcript


@dataclass(frozen=True)
class Ask:
    """Ask the model; send back a Reply and the seconds that it took."""

    request: Request


@dataclass(frozen=True)
class Run:
    """Run code in the session; send back its result and the seconds that it took."""

    code: str
    timeout_s: float | None


@dataclass(frozen=True)
class Checkpoint:
    """Keep the session's state; send back what names it. Unsupported is thrown in where a session
    cannot."""


@dataclass(frozen=True)
class Rollback:
    """Go back to a state that was kept."""

    checkpoint: Any


class OutOfTime(Exception):
    """Thrown in for Ask: the budget's time ended before the model answered."""


Action = Ask | Run | Checkpoint | Rollback
Steps = Generator[Action, Any, None]

# Replies in a row that cannot be acted on before the loop stops.
_MOST_UNUSABLE = 2


class Loop:
    """One run. `transcript` is filled as it goes; for one thread."""

    def __init__(
        self,
        task: str,
        tool: dict[str, Any],
        max_attempts: int,
        budget: Budget,
        until: Literal["answer", "success"],
        opening: Sequence[Message],
        tool_bytes: int,
    ) -> None:
        """`tool_bytes`: about how long the tool is that a request hands on beside its messages."""
        self.transcript = Transcript(task)
        self._tool = tool
        self._tool_bytes = tool_bytes
        self._max_attempts = max_attempts
        self._spending = Spending(budget)
        self._until_success = until == "success"
        self._can_roll_back = True
        self._calls_tools = False
        self._unusable = 0
        self._model_calls = 0
        self._model_s = 0.0
        self._execution_s = 0.0
        self._signatures: list[str] = []
        # A conversation that goes on may need no code for the next answer.
        self._goes_on = len(opening) > 1
        self.transcript.messages += opening
        self._say(task)

    def steps(self) -> Steps:
        """The actions until the run ends."""
        while self.transcript.stop is None:
            reply = yield from self._ask()
            if reply is not None:
                yield from self._act_on(reply)

    def account(self) -> None:
        """Bring the transcript's cost up to date."""
        self.transcript.cost = Cost(
            model_calls=self._model_calls,
            executions=self._spending.executions,
            failed=len(self._signatures),
            tokens=self._spending.tokens,
            wall_s=self._spending.wall_s,
            model_s=self._model_s,
            execution_s=self._execution_s,
        )

    # --- asking the model

    def _ask(self) -> Generator[Action, Any, Reply | None]:
        messages = tuple(self.transcript.messages)
        tokens_left = self._spending.tokens_left()
        most = None
        if tokens_left is not None:
            most = tokens_left - estimate_tokens(messages, self._tool_bytes)
        if most is not None and most <= 0:
            self._stop(StopReason.TOKENS)
            return None
        if self._spending.wall_left() == 0:
            self._stop(StopReason.WALL_TIME)
            return None
        request = Request(messages, self._tool, most, self._spending.wall_left())
        reply: Reply
        try:
            reply, seconds = yield Ask(request)
        except OutOfTime:
            self._stop(StopReason.WALL_TIME)
            return None
        self._model_calls += 1
        self._model_s += seconds
        self._spending.tokens += reply.tokens or Tokens(
            estimate_tokens(messages, self._tool_bytes),
            estimate_tokens((reply.to_message(),)),
            estimated=True,
        )
        self.transcript.messages.append(reply.to_message())
        self.transcript.notes += reply.notes
        return reply

    # --- acting on what it said

    def _act_on(self, reply: Reply) -> Steps:
        self._calls_tools = self._calls_tools or bool(reply.tool_calls)
        cells = cells_of(reply, self._tool, not self._calls_tools, self._until_success)
        if not cells:
            return self._without_code(reply)
        cut_code = reply.cut and not reply.tool_calls
        if cut_code or all(cell.problem for cell in cells):
            return self._unusable_code(cells, prompts.CUT if reply.cut else None)
        self._unusable = 0
        yield from self._run_all(cells)

    def _without_code(self, reply: Reply) -> None:
        """An answer, or silence; where an answer is not due yet the model is asked once more."""
        text = without_thoughts(reply.text).strip()
        executions = self.transcript.executions
        failed = bool(executions) and executions[-1].signature is not None
        if text and not failed and (executions or self._goes_on):
            return self._finish(StopReason.ANSWERED, text, reply.cut)
        if self._unusable + 1 >= _MOST_UNUSABLE:
            if not text:
                return self._stop(StopReason.NO_CODE)
            reason = StopReason.GAVE_UP if failed else StopReason.ANSWERED
            return self._finish(reason, text, reply.cut)
        self._unusable += 1
        if not text:
            self._say(prompts.NOTHING_SAID)
        else:
            self._say(prompts.NO_CODE_AFTER_ERROR if failed else prompts.NO_CODE_YET)
        return None

    def _unusable_code(self, cells: list[Cell], more: str | None) -> None:
        self._unusable += 1
        for cell in cells:
            self._answer(cell, " ".join(words for words in (cell.problem, more) if words))
        if self._unusable >= _MOST_UNUSABLE:
            self._stop(StopReason.NO_CODE)

    # --- running code

    def _run_all(self, cells: list[Cell]) -> Steps:
        failed = False
        for cell in cells:
            if cell.problem or failed:
                self._answer(cell, cell.problem or prompts.NOT_RUN)
                continue
            failed = not (yield from self._run(cell))
            if self.transcript.stop is not None:
                return
        if self._until_success and not failed and not any(cell.problem for cell in cells):
            self._stop(StopReason.SUCCEEDED)

    def _run(self, cell: Cell) -> Generator[Action, Any, bool]:
        """Run one cell and tell the model; whether it went well."""
        if self._spending.executions_left() == 0:
            self._stop(StopReason.EXECUTIONS)
            return False
        wall_left = self._spending.wall_left()
        if wall_left == 0:
            self._stop(StopReason.WALL_TIME)
            return False
        checkpoint = yield from self._checkpoint()
        limits = [limit for limit in (cell.timeout_s, wall_left) if limit is not None]
        result, seconds = yield Run(cell.code, min(limits, default=None))
        self._spending.executions += 1
        self._execution_s += seconds
        signature = error_signature(result)
        attempt = len(self._signatures) + 1
        done = Execution(attempt, cell.code, result, signature, result.state)
        self.transcript.executions.append(done)
        if signature is not None and checkpoint is not None and done.state == "kept":
            yield Rollback(checkpoint)
            done = replace(done, state="rolled_back")
            self.transcript.executions[-1] = done
        elif done.state == "kept" and signature is not None:
            self._note_once(
                "The session cannot roll back: what failed code did before its error is kept."
            )
        shown = result.to_model_text(self._spending.budget.result_bytes)
        failure = None if signature is None else (attempt, self._max_attempts, done.state)
        self._answer(cell, prompts.result_message(shown, failure))
        if signature is not None:
            self._count_failure(result, signature)
        return signature is None

    def _note_once(self, note: str) -> None:
        if note not in self.transcript.notes:
            self.transcript.notes.append(note)

    def _checkpoint(self) -> Generator[Action, Any, Any]:
        """What names the state before the next code; None where the session cannot go back."""
        if not self._can_roll_back:
            return None
        try:
            return (yield Checkpoint())
        except Unsupported:
            self._can_roll_back = False
            return None

    def _count_failure(self, result: Any, signature: str) -> None:
        self._signatures.append(signature)
        if result.status == "cancelled":
            return self._stop(StopReason.CANCELLED)
        if result.status == "host_error":
            self.transcript.error = result.error.value if result.error else "The session failed."
            return self._stop(StopReason.SESSION_ERROR)
        if self._spending.wall_left() == 0:
            return self._stop(StopReason.WALL_TIME)
        most = self._spending.budget.same_error
        if most is not None and self._signatures.count(signature) >= most:
            return self._stop(StopReason.SAME_ERROR)
        if len(self._signatures) >= self._max_attempts:
            return self._stop(StopReason.ATTEMPTS)
        return None

    # --- the transcript

    def _say(self, text: str) -> None:
        self.transcript.messages.append(Message("user", text))

    def _answer(self, cell: Cell, text: str) -> None:
        if cell.call_id is None:
            self._say(text)
        else:
            self.transcript.messages.append(Message("tool", text, tool_call_id=cell.call_id))

    def _stop(self, reason: StopReason) -> None:
        self.transcript.stop = reason

    def _finish(self, reason: StopReason, answer: str, cut: bool) -> None:
        if cut:
            self.transcript.notes.append("The answer was cut off at the token limit.")
        self.transcript.answer = answer
        self._stop(reason)
