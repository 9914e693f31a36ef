"""MCP's Streamable HTTP transport: both eras, headers, status codes, streams."""

import http.client
import json

import pytest
from http_server import STATELESS, answer_of, events_of

HANDSHAKES = ["2025-03-26", "2025-06-18", "2025-11-25"]


class Handshake:
    """A client of the handshake's era."""

    def __init__(self, server, version):
        self.server = server
        self.version = version
        self.next_id = 0
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test"}}
        hello["clientInfo"]["version"] = "1"
        self.headers = {}
        status, headers, self.hello = self.request("initialize", hello)
        assert status == 200, self.hello
        self.headers = {"mcp_session_id": headers["mcp-session-id"]}
        if version > "2025-03-26":
            self.headers["mcp_protocol_version"] = version
        assert self.notify("notifications/initialized")[0] == 202

    def request(self, method, params=None, **headers):
        """Returns (status, headers, answer)."""
        self.next_id += 1
        message = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params or {}}
        status, answered, body = self.server.post(message, **{**self.headers, **headers})
        return status, answered, answer_of(answered, body)

    def notify(self, method, params=None, **headers):
        message = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        return self.server.post(message, **{**self.headers, **headers})

    def run(self, code, **arguments):
        arguments = {"name": "execute_python", "arguments": {"code": code, **arguments}}
        status, _, answer = self.request("tools/call", arguments)
        assert status == 200
        return answer["result"]


@pytest.fixture(params=HANDSHAKES)
def handshake(server, request):
    return Handshake(server, request.param)


def session_id_of(result):
    """From the text for the model; older versions have no structured content."""
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    line = next(text for text in texts if text.startswith("session_id: "))
    return line.split()[1]


def test_the_handshake_gives_an_id_that_nobody_guesses(server):
    ids = {Handshake(server, "2025-11-25").headers["mcp_session_id"] for _ in range(3)}
    assert len(ids) == 3
    for one in ids:
        assert len(one) >= 32 and all("!" <= c <= "~" for c in one)


def test_a_session_goes_from_call_to_call(handshake):
    assert handshake.hello["result"]["protocolVersion"] == handshake.version
    status, _, answer = handshake.request("tools/list")
    assert status == 200 and answer["result"]["tools"][0]["name"] == "execute_python"
    session = session_id_of(handshake.run("x = 40"))
    assert "42" in handshake.run("x + 2", session_id=session)["content"][0]["text"]
    assert session_id_of(handshake.run("1")) != session


def test_an_older_version_than_http_has_is_not_agreed_on(server):
    assert Handshake(server, "2025-03-26").hello["result"]["protocolVersion"] == "2025-03-26"
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    status, headers, body = server.post(message)
    assert status == 200
    assert answer_of(headers, body)["result"]["protocolVersion"] == "2025-11-25"


def test_a_request_without_the_handshake_is_400(server):
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/list"}
    status, headers, body = server.post(message)
    assert status == 400 and answer_of(headers, body)["id"] == 5
    assert "mcp-session-id" not in headers


@pytest.mark.parametrize("session", ["unknown", "mcp-" + "0" * 32, "x" * 5000])
def test_an_unknown_session_is_404(server, session):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert server.post(message, mcp_session_id=session)[0] == 404
    assert server.post(b"", method="DELETE", mcp_session_id=session)[0] == 404


def test_a_session_that_was_ended_is_404(server):
    client = Handshake(server, "2025-11-25")
    other = Handshake(server, "2025-11-25")
    assert server.post(b"", method="DELETE", **client.headers)[0] == 204
    assert client.request("tools/list")[0] == 404
    assert client.notify("notifications/initialized")[0] == 404
    assert server.post(b"", method="DELETE", **client.headers)[0] == 404
    assert server.post(b"", method="DELETE")[0] == 400
    assert other.request("tools/list")[0] == 200


def test_the_version_is_the_one_agreed_on(server):
    client = Handshake(server, "2025-06-18")
    assert client.request("tools/list", mcp_protocol_version="1900-01-01")[0] == 400
    assert client.request("tools/list", mcp_protocol_version="2025-11-25")[0] == 400
    assert client.request("tools/list", mcp_protocol_version=None)[0] == 200
    assert client.request("tools/list", mcp_protocol_version=["2025-06-18"] * 2)[0] == 400


def test_there_is_no_stream_to_listen_to(server):
    client = Handshake(server, "2025-11-25")
    for headers in (client.headers, {}, {"last_event_id": "1"}):
        data = server.head("GET", accept="text/event-stream", **headers)
        status, answered, _ = server.exchange(data)
        assert status == 405 and answered["allow"] == "POST, DELETE"


def test_notifications_and_responses_are_taken_without_a_body(handshake):
    status, _, body = handshake.notify("notifications/roots/list_changed")
    assert (status, body) == (202, b"")
    response = {"jsonrpc": "2.0", "id": 1, "result": {}}
    status, _, body = handshake.server.post(response, **handshake.headers)
    assert (status, body) == (202, b"")


def test_a_batch_is_for_the_one_version_that_has_them(handshake):
    batch = [
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/list"},
    ]
    status, headers, body = handshake.server.post(batch, **handshake.headers)
    if handshake.version != "2025-03-26":
        assert status == 400
        return
    assert status == 200
    answers = answer_of(headers, body)
    assert sorted(answer["id"] for answer in answers) == ["a", "b"]


def test_an_unknown_method_is_told_with_the_status_of_its_era(server):
    client = Handshake(server, "2025-11-25")
    status, _, answer = client.request("no/such")
    assert (status, answer["error"]["code"]) == (200, -32601)
    status, answer = server.stateless("no/such", id="x")
    assert (status, answer["error"]["code"], answer["id"]) == (404, -32601, "x")
    for method in ("initialize", "ping", "logging/setLevel"):
        assert server.stateless(method)[0] == 404


def test_a_stateless_request_needs_no_handshake(server):
    status, answer = server.stateless("server/discover")
    assert status == 200
    result = answer["result"]
    assert STATELESS in result["supportedVersions"]
    assert result["resultType"] == "complete" and result["ttlMs"] >= 0
    assert result["cacheScope"] in ("public", "private")
    # A session of the other era is of no account.
    assert server.stateless("tools/list", headers={"mcp_session_id": "unknown"})[0] == 200
    assert "42" == server.call("execute_python", code="6 * 7")["structuredContent"]["text"]


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": ["2026-07-28", "2026-07-28"]},
        {"mcp_method": None},
        {"mcp_method": "tools/list"},
        {"mcp_method": "TOOLS/CALL"},
        {"mcp_method": ["tools/call", "tools/list"]},
        {"mcp_name": None},
        {"mcp_name": "list_files"},
        {"mcp_name": "Execute_Python"},
        {"mcp_name": "=?base64?ZXhlY3V0ZV9weXRob24?="},
        {"mcp_name": "=?base64?****?="},
        {"mcp_name": "=?base64?bGlzdF9maWxlcw==?="},
        {"mcp_name": "execute_python\xff"},
        {"mcp_name": ["execute_python", "list_files"]},
    ],
    ids=str,
)
def test_headers_that_do_not_fit_are_refused(server, headers):
    call = {"name": "execute_python", "arguments": {"code": "1"}}
    status, answer = server.stateless("tools/call", call, headers=headers)
    assert (status, answer["error"]["code"]) == (400, -32020), answer


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_name": "  execute_python\t"},
        {"mcp_name": "=?base64?ZXhlY3V0ZV9weXRob24=?="},
        {"mcp_param_region": "ignored"},
    ],
    ids=str,
)
def test_headers_that_fit_otherwise_are_taken(server, headers):
    call = {"name": "execute_python", "arguments": {"code": "6 * 7"}}
    status, answer = server.stateless("tools/call", call, headers=headers)
    assert status == 200 and answer["result"]["structuredContent"]["text"] == "42"


def test_the_names_of_headers_have_no_case(server):
    body, _ = server.stateless_request("tools/list")
    given = {"MCP_PROTOCOL_VERSION": STATELESS, "mCP_mETHOD": "tools/list"}
    assert server.post(body, **given)[0] == 200


def test_an_unknown_version_is_told_with_those_that_are_known(server):
    body, headers = server.stateless_request("server/discover", id=7)
    body = body.replace(STATELESS.encode(), b"2030-01-01")
    headers["mcp_protocol_version"] = "2030-01-01"
    status, answered, body = server.post(body, **headers)
    answer = answer_of(answered, body)
    assert (status, answer["error"]["code"], answer["id"]) == (400, -32022, 7)
    assert answer["error"]["data"]["requested"] == "2030-01-01"
    assert STATELESS in answer["error"]["data"]["supported"]


def test_output_is_told_while_it_comes(server):
    code = "import time\nfor i in range(3):\n    print(i, flush=True)\n    time.sleep(0.3)\n'done'"
    body, headers = server.stateless_request(
        "tools/call", {"name": "execute_python", "arguments": {"code": code}}, token="t-1"
    )
    status, answered, body = server.post(body, **headers)
    assert status == 200 and answered["content-type"] == "text/event-stream"
    assert answered["x-accel-buffering"] == "no"
    *notes, answer = events_of(body)
    assert notes and all(note["method"] == "notifications/progress" for note in notes)
    assert {note["params"]["progressToken"] for note in notes} == {"t-1"}
    assert answer["id"] == 1 and answer["result"]["structuredContent"]["text"] == "'done'"


@pytest.mark.parametrize(
    ("accept", "status", "kind"),
    [
        ("application/json, text/event-stream", 200, "text/event-stream"),
        ("text/event-stream;q=0.5, application/json", 200, "text/event-stream"),
        ("application/json", 200, "application/json"),
        ("*/*", 200, "application/json"),
        (None, 200, "application/json"),
        ("text/html", 406, "application/json"),
        ("text/event-stream", 406, "application/json"),
    ],
)
def test_the_answer_is_of_a_kind_that_the_client_takes(server, accept, status, kind):
    body, headers = server.stateless_request(
        "tools/call", {"name": "execute_python", "arguments": {"code": "1"}}, token="t"
    )
    got, answered, body = server.post(body, accept=accept, **headers)
    assert (got, answered["content-type"]) == (status, kind)
    if status == 200:
        assert answer_of(answered, body)["result"]["structuredContent"]["text"] == "1"


def test_one_connection_serves_one_request_after_the_other(server):
    """As a client with a pool uses it: streams end without closing the connection."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    call = {"name": "execute_python", "arguments": {"code": "6 * 7"}}
    try:
        for method, params in [("tools/list", {}), ("tools/call", call)] * 3:
            body, headers = server.stateless_request(method, params)
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            headers |= {
                "Content-Type": "application/json",
                "Authorization": f"Bearer {server.token}",
            }
            headers["Accept"] = "application/json, text/event-stream"
            connection.request("POST", "/mcp", body, headers)
            response = connection.getresponse()
            assert response.status == 200
            assert answer_of(response.headers, response.read())["result"]
            assert connection.sock is not None
    finally:
        connection.close()


def test_what_the_model_may_ask_for_is_less_only(server):
    """No argument widens what the operator allows; one that is unknown is refused."""
    for more in ({"policy": {}}, {"cwd": "/"}, {"read_paths": ["/"]}, {"network": "host"}):
        result = server.call("execute_python", code="1", **more)
        assert result["isError"] and next(iter(more)) in json.dumps(result["content"])
    result = server.call("execute_python", code="1", timeout_seconds=10**6)
    assert not result["isError"]
    assert result["structuredContent"]["policy_events"].get("timeout_clamped") == 1
