"""The LangChain adapter against the real packages, in virtual environments that have them."""

import package_venv
import pytest
from inner_pytest import run_checks

LANGCHAIN = ["langchain==1.5.2", "langgraph==1.2.24"]
# In an environment of its own: it brings a numpy that the system's pandas cannot use.
STANDARD_TESTS = ["langchain-tests==1.1.9"]


@pytest.mark.parametrize("check", ["tool", "agent", "decorator"])
def test_with_langchain_and_langgraph(check, binary, tmp_path_factory):
    python = package_venv.python_with(LANGCHAIN, binary, tmp_path_factory)
    run_checks(python, f"with_langchain/{check}_check.py")


def test_langchains_standard_tests_for_tools(binary, tmp_path_factory):
    python = package_venv.python_with(STANDARD_TESTS, binary, tmp_path_factory)
    run_checks(python, "with_langchain/standard_check.py", "-o", "asyncio_mode=auto")
