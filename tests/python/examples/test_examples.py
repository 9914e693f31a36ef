"""Every example runs with its scripted model, by the command that its README gives."""

import os
import pathlib
import re
import subprocess
import sys

import agent_packages
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples/agents"
PATIENCE_S = 240

# Example → what it prints, among other things; and the packages that it needs.
PLAIN = {
    "self_debugging.py": ["! KeyError: 'region'", "! ValueError", "answer: North sold 12.50"],
    "analyst.py": ["<Transcript answered", "chart: ", "analyst-1.png"],
    "analyst_and_executor.py": ["ordered 200 bolts", "ordered 310 washers", "refused: there is no"],
    "openai_loop.py": ["No module named 'sympi'", "308 of them"],
}
WITH_PACKAGES = {
    "langchain_agent.py": (
        agent_packages.langchain,
        ["IndexError", "picture: ", "langchain-1.png", "1.645"],
    ),
    "langgraph_graph.py": (
        agent_packages.langchain,
        ["No, there is not.", "ann's session says: 55"],
    ),
    "crewai_crew.py": (agent_packages.crewai, ["NameError: name 'rat'", "184.17 a month"]),
    "mcp_client.py": (
        agent_packages.mcp,
        ["tools: ", "→ error", "NameError", "11122", "11,122 days"],
    ),
}


def run(python, example, folder, *arguments):
    """Run an example in a folder of its own; the finished process."""
    environment = {**os.environ, "HOME": str(folder)}
    return subprocess.run(
        [str(python), str(FOLDER / example), "--out", str(folder / "out"), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=folder,
        env=environment,
    )


def check(done, words):
    """It went well and printed the words in this order."""
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    at = 0
    for word in words:
        found = done.stdout.find(word, at)
        assert found >= 0, f"{word!r} is not in what follows {at}:\n{done.stdout}\n{done.stderr}"
        at = found


@pytest.mark.parametrize("example", PLAIN)
def test_an_example(example, tmp_path):
    check(run(sys.executable, example, tmp_path), PLAIN[example])


@pytest.mark.parametrize("example", WITH_PACKAGES)
def test_an_example_with_packages(example, tmp_path, binary, tmp_path_factory):
    python_with_packages, words = WITH_PACKAGES[example]
    check(run(python_with_packages(binary, tmp_path_factory), example, tmp_path), words)


def test_charts_are_written(tmp_path):
    run(sys.executable, "analyst.py", tmp_path)

    assert (tmp_path / "out/analyst-1.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--model", "gpt"], "--model wants openai:NAME or anthropic:NAME."),
        (["--model", "openai:x", "--key-variable", "NO_SUCH"], "NO_SUCH is not set."),
    ],
)
def test_a_model_that_cannot_be_is_refused(tmp_path, arguments, words):
    done = run(sys.executable, "self_debugging.py", tmp_path, *arguments)

    assert done.returncode == 2
    assert words in done.stderr


def test_every_example_is_tested_and_listed():
    examples = {path.name for path in FOLDER.glob("*.py")}
    listed = set(re.findall(r"`(\w+\.py)`", (FOLDER.parent / "README.md").read_text("utf-8")))

    assert examples == set(PLAIN) | set(WITH_PACKAGES)
    assert examples == listed
