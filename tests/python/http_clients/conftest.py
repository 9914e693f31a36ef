"""Servers for the tests with other people's clients over HTTP."""

from http_fixtures import open_server, server  # noqa: F401
