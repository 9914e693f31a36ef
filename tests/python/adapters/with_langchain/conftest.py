"""What the checks with LangChain share. They run in a virtual environment that has it."""

import pathlib
import sys

import cellblock
import pytest

from cellblock.langchain import CellblockTool

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "examples/agents"))


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
