"""Every Python example of docs/python.md and of the README runs as it stands."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
EXAMPLES = [
    pytest.param(example, id=f"{path.name}-{number}")
    for path in (ROOT / "README.md", ROOT / "docs/python.md")
    for number, example in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.S))
]


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_example_runs(example, run_python):
    done = run_python("import cellblock\n" + example)
    assert (done.returncode, done.stderr) == (0, "")
    # `print(…)  # 42` says what it prints.
    printed = done.stdout.splitlines()
    for said in re.findall(r"print\(.*\)\s+# (\S+)\n", example):
        assert said in printed
