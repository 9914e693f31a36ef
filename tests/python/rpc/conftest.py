"""A server of its own for each test, and a session in it."""

import pytest
from rpc_client import Client


@pytest.fixture
def start(binary, environment):
    """Start a server without preloaded packages, which starts faster."""
    clients = []

    def start_server(*arguments):
        client = Client(binary, ["--no-audit-log", "--preload", "", *arguments], environment)
        clients.append(client)
        return client

    yield start_server
    for client in clients:
        if client.process.stdout.closed:
            continue
        client.close()


@pytest.fixture
def client(start):
    """A server and its client."""
    return start()


@pytest.fixture
def session(client):
    """The id of an open session."""
    return client.call("session.open")["session_id"]
