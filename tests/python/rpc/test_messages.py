"""The protocol's edges: what is no request is refused and the server goes on."""

import json

import pytest
from rpc_client import Client, RpcError


@pytest.fixture(scope="module")
def client(binary, tmp_path_factory):
    """One server for all tests here: none of them may harm it."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("home")),
    }
    started = Client(binary, ["--no-audit-log", "--preload", ""], environment)
    yield started
    assert started.close() == 0


@pytest.fixture(scope="module")
def session(client):
    """The id of an open session."""
    return client.call("session.open")["session_id"]


def error_of(client, line):
    """Send a line, read the one answer; returns its id, code and kind."""
    client.write(line + b"\n")
    message = client.read_message()
    assert message["jsonrpc"] == "2.0"
    assert message["error"]["message"].endswith(".")
    return message["id"], message["error"]["code"], message["error"]["data"]["kind"]


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"nonsense",
        b'{"jsonrpc": "2.0", "id": 1, "method": "engine.info"} trailing',
        b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "engine.info", "params": {"x": NaN}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "engine.info", "params": {"x": 1e999}}',
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000,
        b'"' + b"x" * 100_000,
        b"\x00",
    ],
    ids=lambda line: f"{line[:20]!r}",
)
def test_what_is_no_json_is_a_parse_error(client, line):
    assert error_of(client, line) == (None, -32700, "bad_argument")
    assert client.call("engine.info")["executor"] == "fork"


@pytest.mark.parametrize(
    "request_object, answer_id",
    [
        (1, None),
        ("text", None),
        ({}, None),
        ({"id": 5, "method": "engine.info"}, 5),
        ({"jsonrpc": "1.0", "id": 5, "method": "engine.info"}, 5),
        ({"jsonrpc": "2.0", "id": 5}, 5),
        ({"jsonrpc": "2.0", "id": 5, "method": 7}, 5),
        ({"jsonrpc": "2.0", "id": [1], "method": "engine.info"}, None),
        ({"jsonrpc": "2.0", "id": {}, "method": "engine.info"}, None),
        ([], None),
    ],
)
def test_what_is_no_request_is_refused(client, request_object, answer_id):
    answer = error_of(client, json.dumps(request_object).encode())
    assert answer == (answer_id, -32600, "bad_argument")


def test_unknown_methods_are_told(client):
    with pytest.raises(RpcError) as caught:
        client.call("session.fly")
    assert caught.value.code == -32601


@pytest.mark.parametrize(
    "method, params, words",
    [
        ("engine.info", {"verbose": True}, ["engine.info", "verbose"]),
        ("session.open", {"polcy": {}}, ["session.open", "polcy", "policy"]),
        ("session.open", {"policy": []}, ["policy", "object"]),
        ("session.open", {"python": 3}, ["python", "string"]),
        ("session.run", {"session_id": "S"}, ["code", "needed"]),
        ("session.run", {"code": "1"}, ["session_id", "needed"]),
        ("session.run", {"session_id": 5, "code": "1"}, ["session_id", "string"]),
        ("session.run", {"session_id": "S", "code": ["1"]}, ["code", "string"]),
        ("session.run", {"session_id": "S", "code": "1", "timeout": 1}, ["timeout", "timeout_s"]),
        ("session.run", {"session_id": "S", "code": "1", "timeout_s": "1"}, ["timeout_s"]),
        ("session.run", {"session_id": "S", "code": "1", "timeout_s": 0}, ["timeout_s"]),
        ("session.run", {"session_id": "S", "code": "1", "timeout_s": -5}, ["timeout_s"]),
        ("session.run", {"session_id": "S", "code": "1", "timeout_s": 1e300}, ["timeout_s"]),
        ("session.run", {"session_id": "S", "code": "1", "on_error": "panic"}, ["on_error"]),
        ("session.run", {"session_id": "S", "code": "1", "trace": "x"}, ["trace", "object"]),
        ("session.run", {"session_id": "S", "code": "1", "trace": {"a": 1}}, ["trace", "a"]),
        ("session.complete", {"session_id": "S", "code": "abc", "cursor": 4}, ["cursor"]),
        ("session.complete", {"session_id": "S", "code": "abc", "cursor": -1}, ["cursor"]),
        ("session.complete", {"session_id": "S", "code": "abc", "cursor": 1.5}, ["cursor"]),
        ("session.output", {"session_id": "S", "execution_id": "x", "stream": "all"}, ["stream"]),
        ("session.output", {"session_id": "S", "execution_id": "x", "limit": 0}, ["limit"]),
        ("session.upload", {"session_id": "S", "path": "f", "data_base64": "a"}, ["data_base64"]),
        ("session.upload", {"session_id": "S", "path": "f", "data_base64": "a\n=="}, ["base64"]),
        ("session.upload", {"session_id": "S", "path": "f", "data_base64": "", "append": 1},
         ["append"]),
        ("session.download", {"session_id": "S", "path": "f", "limit": 2**60}, ["limit"]),
    ],
)  # fmt: skip
def test_wrong_parameters_are_named(client, session, method, params, words):
    if params.get("session_id") == "S":
        params = {**params, "session_id": session}
    with pytest.raises(RpcError) as caught:
        client.call(method, **params)
    assert (caught.value.code, caught.value.kind) == (-32602, "bad_argument")
    for word in words:
        assert word in str(caught.value)


def test_positional_parameters_are_refused(client):
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "engine.info", "params": [1]}'
    assert error_of(client, line) == (1, -32602, "bad_argument")


def test_an_invalid_policy_is_named(client):
    for policy in ({"timeout_s": -1}, {"nonsense": 1}, {"profile": "x"}):
        with pytest.raises(RpcError) as caught:
            client.call("session.open", policy=policy)
        assert (caught.value.code, caught.value.kind) == (-32000, "policy_invalid")
        assert next(iter(policy)) in str(caught.value)


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "", "a\x00b", "x" * 5000])
def test_paths_that_lead_outside_are_refused(client, session, path):
    for method, more in (("session.upload", {"data_base64": ""}), ("session.download", {})):
        with pytest.raises(RpcError) as caught:
            client.call(method, session_id=session, path=path, **more)
        assert (caught.value.code, caught.value.kind) == (-32000, "bad_argument")


def test_notifications_get_no_answer(client, session):
    for method in ("session.run", "session.fly"):
        request = {
            "jsonrpc": "2.0",
            "method": method,
            "params": {"session_id": session, "code": "told = 'done'"},
        }
        client.write(json.dumps(request).encode() + b"\n")
    assert client.call("session.run", session_id=session, code="told")["text"] == "'done'"
    assert client.answers == {}


def test_ids_come_back_as_they_were(client):
    for request_id in ("text", 0, -7, 2**64 - 1, None, "\u00fc\n"):
        request = {"jsonrpc": "2.0", "id": request_id, "method": "engine.info"}
        client.write(json.dumps(request).encode() + b"\n")
        assert client.read_message()["id"] == request_id


def test_a_batch_is_answered_together(client, session):
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "engine.info"},
        {"jsonrpc": "2.0", "method": "session.variables", "params": {"session_id": session}},
        7,
        {"jsonrpc": "2.0", "id": "b", "method": "nope"},
    ]
    client.write(json.dumps(batch).encode() + b"\n")
    answers = client.read_message()
    assert len(answers) == 3
    by_id = {a["id"]: a for a in answers}
    assert "result" in by_id["a"]
    assert by_id["b"]["error"]["code"] == -32601
    assert by_id[None]["error"]["code"] == -32600


def test_a_batch_of_notifications_is_not_answered(client, session):
    batch = [{"jsonrpc": "2.0", "method": "engine.info"}] * 3
    client.write(json.dumps(batch).encode() + b"\n")
    assert client.call("session.variables", session_id=session)["variables"] is not None


def test_of_a_repeated_key_the_last_counts(client):
    line = b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "engine.info"}\n'
    client.write(line)
    assert client.read_message()["id"] == 2


def test_empty_lines_and_carriage_returns_are_nothing(client):
    client.write(b'\n \r\n{"jsonrpc": "2.0", "id": 9, "method": "engine.info"}\r\n')
    assert client.read_message()["id"] == 9


def test_a_line_that_is_too_long_is_skipped(client):
    client.write(b'{"jsonrpc": "2.0", "id": 1, "x": "')
    for _ in range(65):
        client.write(b"y" * (1 << 20))
    assert error_of(client, b'"}') == (None, -32000, "too_large")
    assert client.call("engine.info")["executor"] == "fork"


def test_nothing_but_messages_stands_on_standard_output(client, session):
    code = "import os\nos.write(1, b'raw'); os.write(2, b'raw')\nprint('text')"
    result = client.call("session.run", session_id=session, code=code)
    assert result["status"] in ("ok", "error")  # read_message has parsed every line
