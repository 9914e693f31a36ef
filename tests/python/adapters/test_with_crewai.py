"""The CrewAI adapter against the real package, in a virtual environment that has it."""

import package_venv
from inner_pytest import run_checks

CREWAI = ["crewai==1.15.30"]


def test_with_crewai(binary, tmp_path_factory):
    python = package_venv.python_with(CREWAI, binary, tmp_path_factory, keep=["numpy"])
    run_checks(python, "with_crewai/tool_check.py")
