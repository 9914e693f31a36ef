"""What the tests of the loop share."""

import os

import pytest
from fake_endpoint import Endpoint

for name in ("http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(name, None)
    os.environ.pop(name.upper(), None)


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
