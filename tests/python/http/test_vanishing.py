"""Clients that go before they have their answer: what they have asked for ends, nothing stays."""

import threading
import time

import pytest
from http_server import HttpServer, answer_of
from processes import comes_true, descendants, descriptors

FOREVER = "print('begun', flush=True)\nwhile True:\n    pass"


@pytest.fixture(scope="module")
def quick(binary, tmp_path_factory):
    """A server without packages."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path_factory.mktemp("home"))}
    started = HttpServer(binary, ["--no-audit-log", "--preload", ""], environment)
    yield started
    assert started.close() == 0, started.stderr()


def begin(server, code, **arguments):
    """A connection over which the code has begun to run."""
    call = {"name": "execute_python", "arguments": {"code": code, **arguments}}
    body, headers = server.stateless_request("tools/call", call, token="t")
    connection = server.connect()
    connection.sendall(server.head(content_length=len(body), **headers) + body)
    seen = b""
    while b"begun" not in seen:
        piece = connection.recv(65536)
        assert piece, seen
        seen += piece
    return connection


def test_a_client_that_goes_leaves_nothing(quick):
    server = quick
    session = server.call("execute_python", code="x = 42")["structuredContent"]["session_id"]
    assert server.call("execute_python", code="x", session_id=session)
    pid = server.process.pid
    time.sleep(0.5)
    before = descriptors(pid), len(descendants(pid))
    connections = [begin(server, FOREVER) for _ in range(5)]
    assert len(descendants(pid)) > before[1]
    for i, connection in enumerate(connections):
        if i % 2:
            connection.shutdown(1)  # only its sending side
        else:
            connection.close()
    assert comes_true(lambda: len(descendants(pid)) <= before[1]), "sessions are left"
    assert comes_true(lambda: descriptors(pid) <= before[0]), "descriptors are left"
    for connection in connections:
        connection.close()
    result = server.call("execute_python", code="x", session_id=session)
    assert result["structuredContent"]["text"] == "42"


def test_a_session_with_a_name_is_interrupted_and_stays(quick):
    session = quick.call("execute_python", code="x = 7")["structuredContent"]["session_id"]
    begin(quick, FOREVER, session_id=session).close()
    result = quick.call("execute_python", code="x", session_id=session)["structuredContent"]
    assert (result["text"], result["state"]) == ("7", "kept")


def test_a_client_that_never_reads_its_refusals_leaves_nothing(quick):
    pid = quick.process.pid
    before = descriptors(pid)
    connections = []
    for i in range(200):
        connection = quick.connect()
        connection.sendall(quick.head(authorization=None if i % 2 else "Bearer x")[: 40 + i])
        connections.append(connection)
    for connection in connections:
        connection.close()
    assert comes_true(lambda: descriptors(pid) <= before)


def test_a_cancelled_request_of_the_handshake_ends_its_stream(quick):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
    _, headers, _ = quick.post(message)
    own = {"mcp_session_id": headers["mcp-session-id"], "mcp_protocol_version": "2025-11-25"}
    quick.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **own)
    call = {"name": "execute_python", "arguments": {"code": FOREVER}}
    call["_meta"] = {"progressToken": 1}
    answers = []

    def wait():
        request = {"jsonrpc": "2.0", "id": "long", "method": "tools/call", "params": call}
        answers.append(quick.post(request, **own))

    waiting = threading.Thread(target=wait)
    waiting.start()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
    cancel["params"] = {"requestId": "long", "reason": "enough"}
    # Another client's request of the same id is not meant.
    _, headers, _ = quick.post(message)
    other = {**own, "mcp_session_id": headers["mcp-session-id"]}
    assert quick.post(cancel, **other)[0] == 202
    time.sleep(1)
    assert waiting.is_alive()
    deadline = time.monotonic() + 60
    while waiting.is_alive() and time.monotonic() < deadline:
        assert quick.post(cancel, **own)[0] == 202
        waiting.join(0.2)
    status, headers, body = answers[0]
    assert status == 200
    assert b'"result"' not in body


def test_the_server_ends_with_everything_that_runs(binary, environment):
    server = HttpServer(binary, ["--no-audit-log", "--preload", ""], environment)
    connections = [begin(server, FOREVER) for _ in range(3)]
    below = descendants(server.process.pid)
    assert len(below) > 3
    start = time.monotonic()
    assert server.close() == 0
    assert time.monotonic() - start < 20
    for connection in connections:
        while connection.recv(65536):
            pass
        connection.close()
    assert comes_true(lambda: not any(alive(pid) for pid in below))


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_answers_go_to_who_asked(quick):
    """Many at once, with the same ids."""
    wrong = []

    def ask(number):
        for _ in range(5):
            call = {"name": "execute_python", "arguments": {"code": f"{number} * 1000"}}
            body, headers = quick.stateless_request("tools/call", call, id=1)
            _, answered, body = quick.post(body, **headers)
            got = answer_of(answered, body)["result"]["structuredContent"]["text"]
            if got != str(number * 1000):
                wrong.append((number, got))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
