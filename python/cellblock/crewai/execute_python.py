"""The tool execute_python."""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crewai.tools import BaseTool
from pydantic import PrivateAttr

from cellblock import (
    BadArgument,
    ExecutionResult,
    Executor,
    SecurityPolicy,
    Session,
    TooLarge,
)
from cellblock.tool_support.arguments import arguments_model
from cellblock.tool_support.python_tool import PythonTool


class CellblockTool(BaseTool):
    """Runs Python in one session that keeps its state from call to call.

    The agent is given text, which is all that CrewAI hands on; `on_result` is called with every
    ExecutionResult, pictures and files included. Thread-safe; sync and async; a context manager.

    Raises cellblock.CellblockError when Cellblock or the machine fails; what the code or the model
    did wrong is told to the model.
    """

    _python: PythonTool = PrivateAttr()
    _on_result: Callable[[ExecutionResult], None] | None = PrivateAttr()

    def __init__(
        self,
        *,
        executor: Executor | None = None,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        session: Session | None = None,
        result_bytes: int | None = None,
        on_result: Callable[[ExecutionResult], None] | None = None,
        **fields: Any,
    ):
        """`executor` and `policy` are for the session that the tool opens; or it uses `session` and
        leaves it open. `result_bytes` bounds the text of one result. `fields` are BaseTool's:
        `name` and `description` replace those that Cellblock makes from the policy.
        """
        python = PythonTool(executor, policy, session, result_bytes)
        known = python.definition
        fields.setdefault("name", known["name"])
        fields.setdefault("description", known["short_description"])
        fields.setdefault("args_schema", arguments_model(known["input_schema"]))
        # The same code again is another run: what it finds has changed meanwhile.
        fields.setdefault("cache_function", _never_cached)
        super().__init__(**fields)
        self._python = python
        self._on_result = on_result

    def session(self) -> Session:
        """The session, opened if need be: to upload files, or to look at it."""
        return self._python.session()

    def close(self) -> None:
        """Close the session that the tool opened. Twice is nothing."""
        self._python.close()

    def __enter__(self) -> CellblockTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, code: str, timeout_seconds: float | None = None) -> str:
        try:
            return self._told(*self._python.run("", code, timeout_seconds))
        except (BadArgument, TooLarge) as error:
            return error.message

    async def _arun(self, code: str, timeout_seconds: float | None = None) -> str:
        try:
            return self._told(*await self._python.run_async("", code, timeout_seconds))
        except (BadArgument, TooLarge) as error:
            return error.message

    def _told(self, result: ExecutionResult, text: str) -> str:
        if self._on_result is not None:
            self._on_result(result)
        return text


def _never_cached(_arguments: Any = None, _result: Any = None) -> bool:
    return False
