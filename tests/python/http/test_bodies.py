"""Bodies that are no JSON, or too much of it: refused, and fast."""

import time

import pytest

# With what a slow machine needs for megabytes.
FAST_S = 10


def wrapped(value):
    return b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":' + value + b"}}"


BAD = {
    "nothing": b"",
    "no JSON": b"hello",
    "an unfinished object": b'{"jsonrpc":',
    "two values": b"{} {}",
    "NaN": wrapped(b"NaN"),
    "Infinity": wrapped(b"-Infinity"),
    "a number that no double holds": wrapped(b"1e999"),
    "a million digits": wrapped(b"1" * 1_000_000),
    "ten million digits": wrapped(b"9" * 10_000_000),
    "a leading zero": wrapped(b"01"),
    "hexadecimal": wrapped(b"0x10"),
    "a comment": wrapped(b"1/**/"),
    "a trailing comma": wrapped(b"[1,]"),
    "single quotes": wrapped(b"'a'"),
    "arrays a million deep": wrapped(b"[" * 1_000_000 + b"]" * 1_000_000),
    "objects a million deep": wrapped(b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000),
    "arrays without an end": b"[" * 10_000_000,
    "a repeated key": b'{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}',
    "a repeated key inside": wrapped(b'{"a":1,"a":2}'),
    "a repeated key in other letters": wrapped(b'{"a":1,"\\u0061":2}'),
    "no UTF-8": wrapped(b'"\xff\xfe"'),
    "overlong UTF-8": wrapped(b'"\xc0\xaf"'),
    "a surrogate in UTF-8": wrapped(b'"\xed\xa0\x80"'),
    "half a surrogate pair": wrapped(b'"\\ud800"'),
    "UTF-16": wrapped(b"1").decode().encode("utf-16"),
    "a control character": wrapped(b'"\x01"'),
    "a NUL": wrapped(b"1") + b"\0",
    "binary": bytes(range(256)) * 100,
    "a string": b'"tools/list"',
    "an empty batch": b"[]",
    "no version": b'{"id":1,"method":"tools/list"}',
    "a number as method": b'{"jsonrpc":"2.0","id":1,"method":5}',
    "an object as id": b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
}


@pytest.mark.parametrize("body", BAD.values(), ids=BAD.keys())
def test_it_is_refused_fast(server, body):
    start = time.monotonic()
    status, headers, answer = server.post(body)
    assert time.monotonic() - start < FAST_S
    assert status == 400, answer
    assert headers["content-type"] == "application/json"
    assert len(answer) < 2000


def test_the_server_goes_on(server):
    status, _ = server.stateless("tools/list")
    assert status == 200


def test_a_body_in_chunks_is_the_same_body(server):
    head = server.head(
        transfer_encoding="chunked",
        mcp_protocol_version="2026-07-28",
        mcp_method="server/discover",
    )
    body = b"7\r\nhello, \r\n5\r\nworld\r\n0\r\n\r\n"
    assert server.exchange(head + body)[0] == 400
