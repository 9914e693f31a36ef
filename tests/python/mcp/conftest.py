"""Servers for the tests of `cellblock mcp`."""

import json

import pytest
from mcp_client import STATELESS, McpClient

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture(scope="module")
def start(binary, tmp_path_factory):
    """Start a server; what is still open at the module's end is closed and must end well."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "LANG": "C.UTF-8",
    }
    started = []

    def begin(version=STATELESS, arguments=(), policy=None):
        flags = list(arguments)
        if "--audit-log" not in flags:
            flags.append("--no-audit-log")
        if policy is not None:
            path = tmp_path_factory.mktemp("policy") / "policy.json"
            path.write_text(json.dumps(policy))
            flags += ["--policy", str(path)]
        client = McpClient(binary, flags, environment, version)
        started.append(client)
        return client

    yield begin
    for client in started:
        if client.process.poll() is None:
            assert client.close() == 0


@pytest.fixture(scope="module")
def client(start):
    """A stateless client of a server with the default packages."""
    return start()


@pytest.fixture(scope="module", params=["2025-11-25", STATELESS])
def either(request, start):
    """A client of each era, on servers without packages, which start fast."""
    return start(request.param, ["--preload", ""])
