"""The CrewAI adapter against the real package, in a virtual environment that has it."""

import agent_packages
from inner_pytest import run_checks


def test_with_crewai(binary, tmp_path_factory):
    python = agent_packages.crewai(binary, tmp_path_factory)
    run_checks(python, "with_crewai/tool_check.py")
