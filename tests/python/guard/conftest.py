"""A server with packages preloaded, and sessions of any policy in it."""

import pytest


class Runner:
    """run(code) gives the result of a cell."""

    def __init__(self, client, policy):
        self.client = client
        self.id = client.call("session.open", policy=policy)["session_id"]

    def __call__(self, code, **params):
        return self.client.call("session.run", session_id=self.id, code=code, **params)

    def value(self, code):
        """The text of a cell that must succeed."""
        result = self(code)
        assert result["status"] == "ok", result["error"]
        return result["text"]


@pytest.fixture
def open_session(client):
    """open_session(**policy) gives a Runner."""
    opened = []

    def open_one(**policy):
        runner = Runner(client, policy)
        opened.append(runner)
        return runner

    yield open_one
    for runner in opened:
        client.call("session.close", session_id=runner.id)


@pytest.fixture
def run(open_session):
    """A session with the default policy."""
    return open_session()
