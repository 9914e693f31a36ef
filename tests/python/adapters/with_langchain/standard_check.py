"""LangChain's own standard tests for tools."""

import pytest
from tool_messages import call
from langchain_tests.integration_tests import ToolsIntegrationTests
from langchain_tests.unit_tests import ToolsUnitTests

from cellblock.langchain import CellblockTool, tool


class OfCellblockTool:
    @pytest.fixture(autouse=True)
    def with_executor(self, executor):
        self.executor = executor

    @property
    def tool_constructor(self):
        return CellblockTool

    @property
    def tool_constructor_params(self):
        return {"executor": self.executor}

    @property
    def tool_invoke_params_example(self):
        return {"code": "1 + 1", "timeout_seconds": 5}


class TestUnit(OfCellblockTool, ToolsUnitTests):
    pass


class TestIntegration(OfCellblockTool, ToolsIntegrationTests):
    pass


class OfDecorator:
    @pytest.fixture(autouse=True)
    def with_session(self, executor):
        with executor.open_session() as self.session:
            yield

    @property
    def tool_constructor(self):
        session = self.session

        @tool
        def power(base: int, exponent: int = 2):
            """Raise a number to a power."""
            return session.run(f"{base} ** {exponent}")

        return power

    @property
    def tool_invoke_params_example(self):
        return {"base": 3}


class TestDecoratorUnit(OfDecorator, ToolsUnitTests):
    pass


class TestDecoratorIntegration(OfDecorator, ToolsIntegrationTests):
    pass


def test_the_standard_calls_do_what_they_say(executor):
    with CellblockTool(executor=executor) as python:
        assert python.invoke(call("1 + 1")).artifact["text"] == "2"
