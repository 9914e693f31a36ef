"""Clients that take too long, send too much, come too many, or read too little."""

import contextlib
import resource
import select
import socket
import threading
import time

import pytest
from http_server import PATIENCE_S
from skips import skip

SLACK_S = 8
HEAD_DEADLINE_S = 10
CONNECTIONS = 10_000


def status_of(connection):
    """The status that comes, or None when the server just closes."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while b"\r\n" not in data:
            piece = connection.recv(4096)
            if not piece:
                break
            data += piece
    return int(data.split()[1]) if data else None


def read_until(connection, end):
    """What comes up to `end` and the line that it is on."""
    data = b""
    while end not in data or b"\r\n" not in data[data.index(end) :]:
        data += connection.recv(65536)
    return data


def ready(connection):
    """Wait until bytes can be sent; select() knows no descriptor this large."""
    poll = select.poll()
    poll.register(connection, select.POLLOUT)
    poll.poll(PATIENCE_S * 1000)


def drip(connection, data, until):
    """Send a byte at a time; returns when the server closes or time is over."""
    for byte in data:
        if select.select([connection], [], [], 0.5)[0] or time.monotonic() > until:
            return
        try:
            connection.send(bytes([byte]))
        except ConnectionError:
            return


def test_who_drips_is_cut_off(server):
    """In the head and without the token, with a header every now and then, and saying nothing."""
    start = time.monotonic()
    ends = {}

    def watch(name, connection, data):
        drip(connection, data, start + 60)
        ends[name] = (status_of(connection), time.monotonic() - start)

    with contextlib.ExitStack() as stack:
        threads = []
        for name, first, data in (
            ("request line", b"", b"GET /" + b"a" * 1000),
            ("headers", b"GET / HTTP/1.1\r\n", b"a: b\r\n" * 200),
            ("silence", b"", b""),
            ("half a head", server.head()[:-2], b""),
            ("body", server.head(content_length=1000), b" " * 1000),
            ("half a body", server.head(content_length=1000) + b" " * 500, b""),
        ):
            connection = stack.enter_context(server.connect())
            connection.sendall(first)
            threads.append(threading.Thread(target=watch, args=(name, connection, data)))
            threads[-1].start()
        for thread in threads:
            thread.join()
    for name, (status, seconds) in ends.items():
        assert status == (None if name == "silence" else 408), name
        assert seconds < HEAD_DEADLINE_S + SLACK_S, name


def test_a_body_without_the_token_is_not_waited_for(server):
    """Who has not shown the token gets an answer, not a minute for its body."""
    for headers in (
        {"authorization": None},
        {"host": "evil.example"},
        {"content_type": "text/plain"},
    ):
        start = time.monotonic()
        status, _, _ = server.exchange(server.head(content_length=1_000_000, **headers))
        assert status in (401, 421, 415)
        assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"GET /" + b"a" * 100_000, 414),
        (b"A" * 100_000, 414),
        (b"GET / HTTP/1.1\r\nx: " + b"a" * 100_000, 431),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000, 431),
        (b"GET / HTTP/1.1\r\n" + b"x: a\r\n b\r\n" * 20_000, 431),
    ],
    ids=["a long target", "no end of a word", "a long header", "many headers", "folded headers"],
)
def test_a_long_head_is_refused(server, data, status):
    assert server.exchange(data)[0] == status


def test_a_long_body_is_refused_unseen(server):
    for length in (65 << 20, 1 << 40, 10**19):
        assert server.exchange(server.head(content_length=length))[0] == 413
    assert server.exchange(server.head(content_length=10**30))[0] == 400
    chunk = b"fffffff\r\n"
    assert server.exchange(server.head(transfer_encoding="chunked") + chunk)[0] == 413


def test_requests_cannot_be_smuggled(server):
    for head in (
        server.head(content_length=5, transfer_encoding="chunked"),
        server.head(content_length=["5", "6"]),
        server.head(content_length="5, 5"),
        server.head(content_length="+5"),
        server.head(transfer_encoding="gzip, chunked"),
        server.head(transfer_encoding="chunked, identity"),
        server.head(transfer_encoding=["chunked", "chunked"]),
    ):
        inner = b"0\r\n\r\n" + server.head("GET", "/smuggled")
        with server.connect() as connection:
            connection.sendall(head + inner)
            assert status_of(connection) in (400, 501)
            # Nothing after it is read as a request.
            rest = b""
            with contextlib.suppress(ConnectionError):
                while piece := connection.recv(65536):
                    rest += piece
            assert b"HTTP/1.1" not in rest


def test_more_connections_than_any_client_needs(server):
    """Thousands that say nothing, or begin to, do not keep a client out."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < CONNECTIONS + 200:
        skip(f"{CONNECTIONS} connections need that many descriptors; this machine allows {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    message, headers = server.stateless_request("tools/list")
    request = server.head(content_length=len(message), **headers) + message
    known = server.connect()
    silent = []
    try:
        known.sendall(request)
        assert status_of(known) == 200
        worst = 0
        for i in range(CONNECTIONS):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", server.port))
            silent.append(connection)
            if i % 3 == 1:
                # Half a head, or a whole one for a body that never comes.
                ready(connection)
                with contextlib.suppress(ConnectionError, BlockingIOError):
                    connection.send(b"POST /mcp HTTP/1.1\r\nHost: x\r\n")
            if i % 1000 == 999:
                start = time.monotonic()
                assert server.stateless("tools/list")[0] == 200
                worst = max(worst, time.monotonic() - start)
        assert worst < 10
        # A connection that has shown the token goes last.
        known.sendall(request)
        assert b"HTTP/1.1 200" in read_until(known, b"HTTP/1.1 ")
        assert server.call("execute_python", code="6 * 7")["structuredContent"]["text"] == "42"
    finally:
        for connection in [known, *silent]:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_who_reads_nothing_of_a_stream_costs_a_bounded_amount(server):
    """The run goes on to its end or is interrupted; others are served meanwhile."""
    code = "for i in range(200_000):\n    print('x' * 100)"
    message, headers = server.stateless_request(
        "tools/call", {"name": "execute_python", "arguments": {"code": code}}, token="t"
    )
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", server.port))
            stack.enter_context(connection)
            connection.sendall(server.head(content_length=len(message), **headers) + message)
        for _ in range(5):
            start = time.monotonic()
            assert server.stateless("tools/list")[0] == 200
            assert time.monotonic() - start < 10
        before = resident_bytes(server.process.pid)
        time.sleep(2)
        assert resident_bytes(server.process.pid) - before < 100 << 20


def resident_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
