"""Servers for the tests of MCP over HTTP."""

from http_fixtures import open_server, server  # noqa: F401
