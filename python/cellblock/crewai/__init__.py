"""execute_python for CrewAI.

    from cellblock.crewai import CellblockTool

    with CellblockTool() as python:
        analyst = Agent(role="Analyst", …, tools=[python])

See docs/agents.md.
"""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

try:
    import crewai as _crewai  # noqa: F401
except ImportError as error:
    raise ImportError("cellblock.crewai needs the package crewai: pip install crewai") from error

from .execute_python import CellblockTool

__all__ = ["CellblockTool"]
