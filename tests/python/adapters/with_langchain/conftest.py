"""What the checks with LangChain share. They run in a virtual environment that has it."""

import pathlib
import sys

import cellblock
import pytest
from langchain_core.messages import AIMessage

from cellblock.langchain import CellblockTool

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "examples/agents"))

DRAW = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('Squares')\nplt.show()"


def says(text="", *calls):
    """A message of a model with calls of execute_python: (id, arguments)."""
    return AIMessage(
        text, tool_calls=[{"name": "execute_python", "id": i, "args": a} for i, a in calls]
    )


def call(code, call_id="c1", **arguments):
    """A tool call as LangChain hands it to a tool."""
    return {
        "type": "tool_call",
        "name": "execute_python",
        "id": call_id,
        "args": {"code": code, **arguments},
    }


@pytest.fixture(scope="session")
def executor():
    """One executor for all checks."""
    with cellblock.Executor(preload=["numpy", "matplotlib"]) as made:
        yield made


@pytest.fixture
def python(executor):
    """A tool of its own for each check."""
    with CellblockTool(executor=executor) as tool:
        yield tool
