"""Clients that ask for much and do not read."""

import socket

import pytest
from http_server import HttpServer
from processes import peak_mib


@pytest.fixture
def quick(binary, tmp_path):
    """A server without packages."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    started = HttpServer(binary, ["--no-audit-log", "--preload", ""], environment)
    yield started
    assert started.close() == 0, started.stderr()


def test_answers_that_nobody_reads_take_bounded_memory(quick):
    code = "open('big.bin', 'wb').write(b'\\xff' * (4 << 20))"
    made = quick.call("execute_python", code=code)
    download = {
        "path": "big.bin",
        "limit": 4 << 20,
        "session_id": made["structuredContent"]["session_id"],
    }
    call = {"name": "download_file", "arguments": download}
    body, headers = quick.stateless_request("tools/call", call)
    connections = []
    for _ in range(60):
        connections.append(quick.connect())
        connections[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connections[-1].sendall(quick.head(content_length=len(body), **headers) + body)
    assert peak_mib(quick.process.pid) < 700
    for connection in connections:
        connection.close()
    # Who has gone holds nothing.
    assert not quick.call("download_file", **download)["isError"]
