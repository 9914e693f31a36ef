"""The tool execute_python."""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import ToolException
from pydantic import Field, PrivateAttr, ValidationError

from cellblock import BadArgument, Executor, SecurityPolicy, Session, TooLarge
from cellblock.tool_support.arguments import arguments_model, complaint
from cellblock.tool_support.python_tool import PythonTool

from .content import content_of
from .result_tool import ResultTool


class CellblockTool(ResultTool):
    """Runs Python in a session that keeps its state from call to call.

    One session for each `thread_id` of the config that a call comes with, as LangGraph's
    checkpointers use it, and one for all calls without: users do not share state. The content is
    text, with pictures as image blocks behind it; the artifact is the ExecutionResult's JSON form,
    so that checkpointers can store it. Thread-safe; sync and async; a context manager.

    Raises cellblock.CellblockError when Cellblock or the machine fails; what the code or the model
    did wrong is told to the model.
    """

    images: int = Field(default=4, ge=0)
    """How many pictures of one result the model is shown; 0 for models that read text only."""

    _python: PythonTool = PrivateAttr()

    def __init__(
        self,
        *,
        executor: Executor | None = None,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        session: Session | None = None,
        result_bytes: int | None = None,
        **fields: Any,
    ):
        """`executor` and `policy` are for the sessions that the tool opens; or it uses `session`
        for all calls and leaves it open. `result_bytes` bounds the text of one result. `fields`
        are BaseTool's: `name` and `description` replace those that Cellblock makes from the policy.
        """
        python = PythonTool(executor, policy, session, result_bytes)
        known = python.definition
        fields.setdefault("name", known["name"])
        fields.setdefault("description", known["short_description"])
        fields.setdefault("args_schema", arguments_model(known["input_schema"]))
        fields.setdefault("handle_tool_error", True)
        fields.setdefault("handle_validation_error", _validation_message)
        super().__init__(response_format="content_and_artifact", **fields)
        self._python = python

    def session(self, thread_id: str | None = None) -> Session:
        """The session of that thread, opened if need be: to upload files, or to look at it."""
        return self._python.session(_key(thread_id))

    def close(self) -> None:
        """Close the tool's sessions. Twice is nothing."""
        self._python.close()

    def __enter__(self) -> CellblockTool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(
        self, code: str, timeout_seconds: float | None = None, *, config: RunnableConfig
    ) -> tuple[Any, dict[str, Any]]:
        try:
            result, text = self._python.run(_thread_of(config), code, timeout_seconds)
        except (BadArgument, TooLarge) as error:
            raise ToolException(error.message) from error
        return content_of(result, text, self.images), result.to_dict()

    async def _arun(
        self, code: str, timeout_seconds: float | None = None, *, config: RunnableConfig
    ) -> tuple[Any, dict[str, Any]]:
        try:
            result, text = await self._python.run_async(_thread_of(config), code, timeout_seconds)
        except (BadArgument, TooLarge) as error:
            raise ToolException(error.message) from error
        return content_of(result, text, self.images), result.to_dict()


def _thread_of(config: RunnableConfig | None) -> str:
    return _key(((config or {}).get("configurable") or {}).get("thread_id"))


def _key(thread_id: object) -> str:
    """Any id has a key that differs from that of no id."""
    return "" if thread_id is None else f"thread {thread_id}"


def _validation_message(error: Any) -> str:
    assert isinstance(error, ValidationError)
    return complaint(error)
