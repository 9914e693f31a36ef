"""What the tests of the loop share."""

import os

import cellblock
import pytest
from fake_endpoint import Endpoint

# Nothing here leaves the machine, through a proxy least of all.
for name in ("http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(name, None)
    os.environ.pop(name.upper(), None)


class Script:
    """A model that says its lines in order, whatever it is told; it keeps what it was told."""

    def __init__(self, *lines):
        self.lines = list(lines)
        self.asked = []

    def __call__(self, messages):
        self.asked.append(messages)
        line = self.lines.pop(0)
        return line(messages) if callable(line) else line


def code(text):
    """A reply with this code."""
    return f"I try this.\n```python\n{text}\n```"


@pytest.fixture(scope="session")
def executor():
    """One executor without preloaded packages, for all tests."""
    with cellblock.Executor(preload=[]) as made:
        yield made


@pytest.fixture
def session(executor):
    """A fresh session."""
    with executor.open_session() as opened:
        yield opened


@pytest.fixture
def endpoint():
    """Make an endpoint that gives these answers."""
    made = []

    def make(*answers):
        made.append(Endpoint(answers))
        return made[-1]

    yield make
    for one in made:
        one.close()
