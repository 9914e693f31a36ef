"""What is no message, no call, or too much: a clear error, and the server goes on."""

import json
import random

import pytest
from mcp_client import META, text_of

DEPTH = 100_000


@pytest.fixture(scope="module")
def peer(start):
    return start(arguments=["--preload", ""])


def still_there(peer):
    return peer.tool("execute_python", code="20 + 3")["structuredContent"]["text"] == "23"


@pytest.mark.parametrize(
    "line, code",
    [
        (b"nonsense", -32700),
        (b"{", -32700),
        (b"[" * DEPTH + b"]" * DEPTH, -32700),
        (b'{"a":' * DEPTH + b"1" + b"}" * DEPTH, -32700),
        (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1,"b":2}}}', -32700),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}', -32700),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"9" * 10**6 + b"}}",
            -32700,
        ),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff\xfe"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"a\x00b"}', -32700),
        (b"1", -32600),
        (b'"text"', -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b"[]", -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}', -32602),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_what_is_no_message_gets_an_error(peer, line, code):
    peer.write(line + b"\n")
    answer = peer.read_message()
    assert answer["error"]["code"] == code
    assert 10 < len(answer["error"]["message"]) < 400
    assert still_there(peer)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \t",
        b'{"jsonrpc":"2.0","method":"notifications/no_such"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
        b'{"jsonrpc":"2.0","id":77,"result":{}}',
        b'{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}',
    ],
)
def test_what_asks_for_nothing_gets_nothing(peer, line):
    peer.write(line + b"\n")
    assert still_there(peer)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, '"code" is needed'),
        ({"code": 1}, '"code" must be a string'),
        ({"code": ["1"]}, '"code" must be a string'),
        ({"code": "1", "timeout_seconds": "5"}, '"timeout_seconds" must be a number'),
        ({"code": "1", "timeout_seconds": 0}, "greater than 0"),
        ({"code": "1", "timeout_seconds": -3}, "greater than 0"),
        ({"code": "1", "timeout_seconds": 1e300}, "at most"),
        ({"code": "1", "session_id": 5}, '"session_id" must be a string'),
        ({"code": "1", "code2": "x"}, '"code2"'),
        ({"code": "1", "\x1b[2J": "x"}, "knows no parameter"),
        ({"code": "#" * ((1 << 20) + 1)}, "the limit is 1048576"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_wrong_arguments_are_told_to_the_model(peer, arguments, words):
    result = peer.tool("execute_python", **arguments)
    assert result["isError"] and words in text_of(result)
    assert result["_meta"]["cellblock/kind"] in ("bad_argument", "too_large")
    assert "\x1b" not in json.dumps(result, ensure_ascii=False)


def test_code_of_the_largest_size_runs(peer):
    code = "7 #" + "#" * ((1 << 20) - 3)
    assert peer.tool("execute_python", code=code)["structuredContent"]["text"] == "7"


@pytest.mark.parametrize(
    "tool, arguments, words",
    [
        ("upload_file", {"path": "a"}, "one of them"),
        ("upload_file", {"path": "a", "content": "x", "data_base64": "eA=="}, "one of them"),
        ("upload_file", {"path": "a", "data_base64": "!"}, "base64"),
        ("upload_file", {"path": "a", "content": "x", "append": "yes"}, "true or false"),
        ("download_file", {"path": "a", "limit": 0}, "from 1 to"),
        ("download_file", {"path": "a", "offset": -1}, "whole number"),
        ("download_file", {"path": "absent"}, "absent"),
        ("read_output", {"execution_id": "x", "stream": "stdin"}, "stdout"),
        ("read_output", {"execution_id": "x", "limit": 1 << 40}, "from 1 to"),
        ("inspect_variable", {"name": "x" * 2000}, "too long"),
        ("inspect_variable", {"name": "__import__('os')"}, "list_variables"),
        ("list_variables", {"all": True}, "knows no parameter"),
    ],
)
def test_the_other_tools_refuse_as_clearly(peer, tool, arguments, words):
    result = peer.tool(tool, **arguments)
    assert result["isError"] and words in text_of(result)
    assert still_there(peer)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 5},
        {"name": "execute_python", "arguments": [1]},
        {"name": "execute_python", "arguments": "code"},
        {"name": "no_such_tool"},
        {"name": ""},
    ],
)
def test_a_call_of_no_tool_is_a_protocol_error(peer, params):
    peer.write_message(
        {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {**params, "_meta": META}}
    )
    assert peer.read_message()["error"]["code"] == -32602


def test_a_wrong_progress_token_is_refused(peer):
    for token in (None, 1.5, [], {}):
        peer.write_message(
            {
                "jsonrpc": "2.0",
                "id": "t",
                "method": "tools/list",
                "params": {"_meta": {**META, "progressToken": token}},
            }
        )
        assert peer.read_message()["error"]["code"] == -32602


def test_an_id_can_be_used_once_at_a_time(peer):
    call = {
        "jsonrpc": "2.0",
        "id": "same",
        "method": "tools/call",
        "params": {
            "name": "execute_python",
            "arguments": {"code": "import time; time.sleep(1); 'slept'"},
            "_meta": META,
        },
    }
    peer.write_message(call)
    peer.write_message(call)
    first, second = peer.read_message(), peer.read_message()
    assert first["error"]["code"] == -32600 and "under way" in first["error"]["message"]
    assert second["result"]["structuredContent"]["text"] == "'slept'"


def test_an_id_is_free_again_once_it_has_been_answered(peer):
    for _ in range(200):
        peer.write_message(
            {"jsonrpc": "2.0", "id": "again", "method": "tools/list", "params": {"_meta": META}}
        )
        assert "result" in peer.read_message()


def test_a_line_that_is_too_long_is_skipped(peer):
    peer.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (65 << 20) + b'"}\n')
    assert "bytes at most" in peer.read_message()["error"]["message"]
    assert still_there(peer)


def random_value(random_source, depth=0):
    pick = random_source.randrange(9 if depth < 4 else 6)
    if pick == 0:
        return None
    if pick == 1:
        return random_source.choice([True, False])
    if pick == 2:
        return random_source.choice([0, -1, 2**63, 2**64, -(2**63), 1e308, 0.1, 10**30])
    if pick <= 5:
        words = ["", "code", "2.0", "tools/call", "execute_python", "\x00\x1b", "ä漢", "../x"]
        return random_source.choice(words)
    if pick == 6:
        return [random_value(random_source, depth + 1) for _ in range(random_source.randrange(4))]
    keys = [
        "jsonrpc",
        "id",
        "method",
        "params",
        "_meta",
        "name",
        "arguments",
        "code",
        "uri",
        "cursor",
        "progressToken",
        "requestId",
        "notifications",
        "session_id",
    ]
    return {
        random_source.choice(keys): random_value(random_source, depth + 1)
        for _ in range(random_source.randrange(5))
    }


def mutated(random_source):
    """A message of about the right shape."""
    method = random_source.choice(
        ["tools/call", "tools/list", "resources/read", "resources/list", "server/discover", "x"]
    )
    params = {"_meta": dict(META), "name": "list_files", "arguments": {}, "uri": "cellblock://x"}
    for key in list(params):
        if random_source.random() < 0.3:
            params[key] = random_value(random_source)
    message = {"jsonrpc": "2.0", "id": random_source.randrange(10**6), "method": method}
    message["params"] = params
    if random_source.random() < 0.2:
        message[random_source.choice(list(message))] = random_value(random_source)
    return json.dumps(message).encode()


@pytest.mark.parametrize("seed", range(4))
def test_random_messages_never_end_the_server(start, seed):
    peer = start(arguments=["--preload", ""])
    random_source = random.Random(seed)
    for _ in range(150):
        line = mutated(random_source)
        if random_source.random() < 0.3:
            line = json.dumps(random_value(random_source)).encode()
        if random_source.random() < 0.3 and line:
            at = random_source.randrange(len(line))
            line = line[:at] + bytes([random_source.randrange(256)]) + line[at + 1 :]
        peer.write(line.replace(b"\n", b" ") + b"\n")
    # Whatever was answered is JSON-RPC (read_message checks), and calls still work.
    peer.next_id = 10**7
    assert still_there(peer)
    assert peer.close() == 0
