"""What the tests of the loop share."""

import os

import cellblock
import pytest
from fake_endpoint import Endpoint

# Nothing here leaves the machine, through a proxy least of all.
for name in ("http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(name, None)
    os.environ.pop(name.upper(), None)


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
