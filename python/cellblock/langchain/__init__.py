"""execute_python for LangChain and LangGraph.

    from cellblock.langchain import CellblockTool

    with CellblockTool() as python:
        agent = create_agent(model, tools=[python])

`tool` makes tools of your own from functions that return an ExecutionResult. See docs/agents.md.
"""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

try:
    import langchain_core as _langchain_core  # noqa: F401
except ImportError as error:
    raise ImportError(
        "cellblock.langchain needs the package langchain-core: pip install langchain-core"
    ) from error

from .decorator import tool
from .execute_python import CellblockTool

__all__ = ["CellblockTool", "tool"]
