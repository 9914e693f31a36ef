"""Servers of MCP over HTTP, one for the tests of a module."""

import pytest
from http_server import HttpServer


@pytest.fixture(scope="module")
def server(binary, tmp_path_factory):
    """One server with a token of its own, for the tests of a module."""
    started = HttpServer(binary, ["--no-audit-log"], plain_environment(tmp_path_factory))
    yield started
    assert started.close() == 0, started.stderr()


@pytest.fixture(scope="module")
def open_server(binary, tmp_path_factory):
    """The same without a token."""
    arguments = ["--no-audit-log", "--no-token"]
    started = HttpServer(binary, arguments, plain_environment(tmp_path_factory))
    yield started
    assert started.close() == 0, started.stderr()


def plain_environment(tmp_path_factory):
    """An environment without the user's own settings."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "LANG": "C.UTF-8",
    }
