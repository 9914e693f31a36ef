"""What a LangChain tool does with an ExecutionResult."""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool


class ResultTool(BaseTool):
    """A tool whose artifact is the JSON form of an ExecutionResult: a message about code that
    failed has the status "error", which models are told."""

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Run the tool, as every Runnable."""
        return _with_status(super().invoke(input, config, **kwargs))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The same with await."""
        return _with_status(await super().ainvoke(input, config, **kwargs))


def _with_status(message: Any) -> Any:
    if isinstance(message, ToolMessage) and isinstance(message.artifact, dict):
        if message.artifact["exit_code"] != 0:
            message.status = "error"
    return message
