"""Without the frameworks the adapters say what to install, and the rest works."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("name, package", [("langchain", "langchain-core"), ("crewai", "crewai")])
def test_an_adapter_without_its_framework_says_what_to_install(name, package):
    blocked = package.replace("-", "_")
    script = f"import sys; sys.modules[{blocked!r}] = None\nimport cellblock.{name}"

    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert run.returncode == 1
    assert f"cellblock.{name} needs the package {package}: pip install {package}" in run.stderr


def test_the_loop_needs_no_framework():
    script = (
        "import sys, cellblock.agent\n"
        "print([n for n in ('langchain_core', 'crewai', 'pydantic', 'httpx') if n in sys.modules])"
    )

    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"
