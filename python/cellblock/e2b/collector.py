"""Gathers an Execution from the events of a run."""

from __future__ import annotations

import time

from ..display import DisplayData
from ..result import ExecutionResult
from .exceptions import TimeoutException
from .models import Execution, ExecutionError, OutputMessage, Result

_LONGEST_LINE = 65_536


class _Lines:
    """Cuts a stream into lines, with their ends."""

    def __init__(self) -> None:
        self._begun = ""

    def feed(self, text: str) -> list[str]:
        """The lines that are whole now; a very long one comes in pieces."""
        *whole, self._begun = (self._begun + text).split("\n")
        lines = [line + "\n" for line in whole]
        return lines + self.rest() if len(self._begun) > _LONGEST_LINE else lines

    def rest(self) -> list[str]:
        """What is left at the end."""
        rest, self._begun = self._begun, ""
        return [rest] if rest else []


class Collector:
    """One run: each method returns what the callback of its kind is to be called with."""

    def __init__(self) -> None:
        self.execution = Execution()
        self._out = _Lines()
        self._err = _Lines()

    def _messages(self, lines: list[str], error: bool) -> list[OutputMessage]:
        logs = self.execution.logs
        (logs.stderr if error else logs.stdout).extend(lines)
        return [OutputMessage(line, time.time_ns(), error) for line in lines]

    def stdout(self, text: str) -> list[OutputMessage]:
        """The code wrote text."""
        return self._messages(self._out.feed(text), error=False)

    def stderr(self, text: str) -> list[OutputMessage]:
        """The code wrote text to its standard error."""
        return self._messages(self._err.feed(text), error=True)

    def result(self, shown: DisplayData) -> list[Result]:
        """The code has shown something; what takes the place of another is shown at the end."""
        return [Result.of(shown)] if shown.operation == "show" else []

    def rest(self) -> tuple[list[OutputMessage], list[OutputMessage]]:
        """The last lines of stdout and stderr, where they have no end."""
        return (
            self._messages(self._out.rest(), error=False),
            self._messages(self._err.rest(), error=True),
        )

    def finish(self, result: ExecutionResult) -> list[ExecutionError]:
        """The run has ended. Raises TimeoutException where it was out of time."""
        execution = self.execution
        execution.details = result
        execution.execution_count = result.execution_count
        execution.results = [Result.of(shown) for shown in result.results]
        execution.error = _error_of(result)
        if result.status == "timeout":
            assert result.error is not None
            problem = TimeoutException(f"{result.error.value} A longer one: run_code(timeout=…).")
            problem.execution = execution
            raise problem
        return [] if execution.error is None else [execution.error]


def _error_of(result: ExecutionResult) -> ExecutionError | None:
    if result.error is not None:
        return ExecutionError(result.error.name, result.error.value, result.error.traceback)
    if result.status == "exit":
        return ExecutionError("SystemExit", str(result.exit_code), "")
    if not result.ok:
        return ExecutionError(result.status, result.cause or "", "")
    return None
