"""The LangChain adapter against the real packages, in virtual environments that have them."""

import agent_packages
import pytest
from inner_pytest import run_checks


@pytest.mark.parametrize("check", ["tool", "agent", "decorator"])
def test_with_langchain_and_langgraph(check, binary, tmp_path_factory):
    python = agent_packages.langchain(binary, tmp_path_factory)
    run_checks(python, f"with_langchain/{check}_check.py")


def test_langchains_standard_tests_for_tools(binary, tmp_path_factory):
    python = agent_packages.langchain_tests(binary, tmp_path_factory)
    run_checks(python, "with_langchain/standard_check.py", "-o", "asyncio_mode=auto")
