"""The handshake's versions and the stateless one, message by message."""

import json

import pytest
from conftest import HANDSHAKES
from mcp_client import META, STATELESS, McpError, text_of

NO_PACKAGES = ["--preload", ""]


@pytest.fixture(scope="module")
def plain(start):
    """A stateless client of a server without packages."""
    return start(arguments=NO_PACKAGES)


@pytest.fixture(scope="module", params=HANDSHAKES)
def version(request):
    return request.param


class TestHandshake:
    @pytest.fixture(scope="class")
    def peer(self, start, version):
        return start(version, NO_PACKAGES)

    def test_the_version_that_is_asked_for_is_agreed_on(self, peer, version):
        assert peer.server["protocolVersion"] == version
        assert peer.server["capabilities"] == {"tools": {}, "resources": {}}
        assert peer.server["serverInfo"]["name"] == "cellblock"
        assert "execute_python" in peer.server["instructions"]

    def test_results_have_what_the_version_has(self, peer, version):
        assert peer.call("ping") == {}
        tools = peer.call("tools/list")
        structured = version >= "2025-06-18"
        assert ("outputSchema" in tools["tools"][0]) == structured
        assert ("annotations" in tools["tools"][0]) == (version >= "2025-03-26")
        result = peer.tool("execute_python", code="open('f.txt', 'w').write('x' * 9)")
        assert ("structuredContent" in result) == structured
        kinds = {block["type"] for block in result["content"]}
        assert kinds == ({"text", "resource_link"} if structured else {"text"})
        for answer in (tools, result):
            assert not {"resultType", "ttlMs", "cacheScope"} & answer.keys()

    def test_what_is_not_there_is_told(self, peer):
        for method in ("server/nothing", "prompts/list", "logging/setLevel", "completion/complete"):
            with pytest.raises(McpError) as error:
                peer.call(method)
            assert error.value.code == -32601
        with pytest.raises(McpError) as error:
            peer.call("resources/read", uri="cellblock://sessions/s-none/files/a")
        assert error.value.code == -32002
        with pytest.raises(McpError) as error:
            peer.call("tools/call", name="no_such_tool", arguments={})
        assert error.value.code == -32602 and "tools/list" in str(error.value)

    def test_batches_are_for_one_version(self, peer, version):
        batch = [
            {"jsonrpc": "2.0", "id": "a", "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/other"},
            {"jsonrpc": "2.0", "id": "b", "method": "initialize", "params": {}},
            {"jsonrpc": "1.0"},
        ]
        peer.write_message(batch)
        if version != "2025-03-26":
            assert peer.read_message()["error"]["code"] == -32600
            return
        line = b""
        while not line.endswith(b"\n"):
            line += peer.process.stdout.read1()
        answers = {answer.get("id"): answer for answer in json.loads(line)}
        assert answers["a"]["result"] == {}
        assert "error" in answers["b"] and "error" in answers[None] and len(answers) == 3


def test_an_unknown_handshake_version_gets_the_newest(start):
    peer = start("2030-01-01", NO_PACKAGES)
    assert peer.server["protocolVersion"] == HANDSHAKES[-1]


def test_nothing_is_served_before_the_handshake(plain):
    plain.write_message({"jsonrpc": "2.0", "id": "early", "method": "tools/list"})
    error = plain.read_message()
    assert error["id"] == "early" and error["error"]["code"] == -32602
    assert "initialize" in error["error"]["message"]


class TestStateless:
    def test_discovery_tells_versions_and_who_serves(self, plain):
        found = plain.call("server/discover")
        assert found["supportedVersions"] == [STATELESS, *reversed(HANDSHAKES)]
        assert found["capabilities"] == {"tools": {}, "resources": {}}
        assert found["resultType"] == "complete"
        assert found["ttlMs"] > 0 and found["cacheScope"] == "public"
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "cellblock"

    @pytest.mark.parametrize(
        "method, scope",
        [
            ("tools/list", "public"),
            ("resources/list", "private"),
            ("resources/templates/list", "public"),
        ],
    )
    def test_lists_say_how_long_they_hold(self, plain, method, scope):
        found = plain.call(method)
        assert found["resultType"] == "complete" and found["cacheScope"] == scope
        assert isinstance(found["ttlMs"], int) and found["ttlMs"] >= 0

    def test_a_call_is_complete_and_not_to_be_cached(self, plain):
        result = plain.tool("execute_python", code="1")
        assert result["resultType"] == "complete" and "ttlMs" not in result

    @pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
    def test_every_request_says_what_it_must(self, plain, missing):
        meta = {k: v for k, v in META.items() if not k.endswith(missing)}
        plain.write_message(
            {"jsonrpc": "2.0", "id": "m", "method": "server/discover", "params": {"_meta": meta}}
        )
        error = plain.read_message()["error"]
        assert error["code"] == -32602 and missing in error["message"]

    def test_the_client_need_not_name_itself(self, plain):
        meta = {k: v for k, v in META.items() if not k.endswith("clientInfo")}
        plain.write_message(
            {"jsonrpc": "2.0", "id": "n", "method": "tools/list", "params": {"_meta": meta}}
        )
        assert "result" in plain.read_message()

    @pytest.mark.parametrize("version", ["1900-01-01", "2025-11-25", "v999"])
    def test_another_version_is_refused_with_those_that_are_served(self, plain, version):
        with pytest.raises(McpError) as error:
            plain.call("tools/list", {"io.modelcontextprotocol/protocolVersion": version})
        assert error.value.code == -32022
        assert error.value.data["requested"] == version
        assert STATELESS in error.value.data["supported"]

    @pytest.mark.parametrize("method", ["initialize", "ping", "logging/setLevel", "no/such"])
    def test_methods_of_the_handshake_are_not_there(self, plain, method):
        with pytest.raises(McpError) as error:
            plain.call(method)
        assert error.value.code == -32601

    def test_a_missing_resource_is_a_wrong_parameter(self, plain):
        for uri in ("cellblock://sessions/s-none/files/a", "file:///etc/passwd", "x"):
            with pytest.raises(McpError) as error:
                plain.call("resources/read", uri=uri)
            assert error.value.code == -32602 and error.value.data == {"uri": uri}

    def test_a_subscription_is_acknowledged_and_ends_when_cancelled(self, plain):
        request_id = plain.send("subscriptions/listen", notifications={"toolsListChanged": True})
        acknowledged = plain.wait_for_notification("notifications/subscriptions/acknowledged")
        assert acknowledged["_meta"] == {"io.modelcontextprotocol/subscriptionId": request_id}
        assert acknowledged["notifications"] == {}
        plain.notify("notifications/cancelled", requestId=request_id)
        plain.call("server/discover")
        assert request_id not in plain.answers


def test_a_subscription_is_answered_when_the_server_ends(start):
    peer = start(arguments=NO_PACKAGES)
    request_id = peer.send("subscriptions/listen", notifications={})
    peer.wait_for_notification("notifications/subscriptions/acknowledged")
    peer.process.stdin.close()
    assert peer.answer(request_id)["resultType"] == "complete"
    assert peer.process.wait(60) == 0


def test_both_eras_go_on_one_connection(start):
    peer = start("2025-11-25", NO_PACKAGES)
    peer.tool("execute_python", code="shared = 7")
    result = peer.tool("execute_python", META, code="shared")
    assert result["resultType"] == "complete" and result["structuredContent"]["text"] == "7"
    assert "resultType" not in peer.tool("execute_python", code="shared")


def test_progress_grows_while_output_comes(either):
    code = "import time\nfor i in range(4):\n    print('step', i)\n    time.sleep(0.4)"
    request_id = either.send_tool("execute_python", {"progressToken": "p-1"}, code=code)
    result = either.answer(request_id)
    progress = [
        m["params"] for m in either.notifications if m["method"] == "notifications/progress"
    ]
    either.notifications.clear()
    assert not result["isError"]
    assert len(progress) >= 2 and {p["progressToken"] for p in progress} == {"p-1"}
    amounts = [p["progress"] for p in progress]
    assert amounts == sorted(set(amounts))
    assert "".join(p["message"] for p in progress) == "step 0\nstep 1\nstep 2\nstep 3\n"


def test_progress_shows_terminal_controls(either):
    request_id = either.send_tool("execute_python", {"progressToken": 5}, code="print('\\x1b[2J')")
    either.answer(request_id)
    message = either.wait_for_notification("notifications/progress")["message"]
    assert message == "\\x1b[2J\n"


def test_without_a_token_nothing_is_told(either):
    either.tool("execute_python", code="print('quiet')")
    assert either.notifications == []


def test_a_cancelled_call_stops_and_is_not_answered(either):
    request_id = either.send_tool(
        "execute_python", {"progressToken": 1}, code="print('on', flush=True)\nwhile True: pass"
    )
    either.wait_for_notification("notifications/progress")
    either.notify("notifications/cancelled", requestId=request_id, reason="enough")
    # The session is free again well before the policy's time limit, and keeps its state.
    assert either.tool("execute_python", code="'free'")["structuredContent"]["text"] == "'free'"
    assert request_id not in either.answers
    either.notifications.clear()


@pytest.mark.parametrize("params", [{}, {"requestId": "no such"}, {"requestId": [1]}])
def test_a_cancellation_of_nothing_is_ignored(either, params):
    either.notify("notifications/cancelled", **params)
    assert not either.tool("execute_python", code="1")["isError"]


def test_interrupt_stops_what_runs_and_state_stays(either):
    either.tool("execute_python", code="kept = 'kept'")
    request_id = either.send_tool(
        "execute_python", {"progressToken": 2}, code="print('on', flush=True)\nwhile True: pass"
    )
    either.wait_for_notification("notifications/progress")
    assert either.tool("interrupt")["structuredContent"]["interrupted"] is True
    result = either.answer(request_id)
    assert result["isError"] and result["structuredContent"]["status"] == "cancelled"
    assert "kept" in text_of(either.tool("execute_python", code="kept"))
    assert either.tool("interrupt")["structuredContent"]["interrupted"] is False


def test_interrupt_stops_code_that_waits_until_the_default_session_is_open(start):
    peer = start(arguments=NO_PACKAGES)
    ids = [peer.send_tool("execute_python", code="while True: pass") for _ in range(2)]
    assert peer.tool("interrupt")["structuredContent"]["interrupted"] is True
    assert peer.answer(ids[0])["structuredContent"]["status"] == "cancelled"
    # Only the first of them.
    assert peer.tool("interrupt")["structuredContent"]["interrupted"] is True
    assert peer.answer(ids[1])["structuredContent"]["status"] == "cancelled"
    assert peer.tool("interrupt")["structuredContent"]["interrupted"] is False
    assert peer.tool("execute_python", code="6 * 7")["structuredContent"]["text"] == "42"


def test_calls_run_in_the_order_in_which_they_came(start):
    peer = start(arguments=NO_PACKAGES)
    ids = [peer.send_tool("execute_python", code="order = []")]
    ids += [peer.send_tool("execute_python", code=f"order.append({i})") for i in range(8)]
    for request_id in ids:
        assert not peer.answer(request_id)["isError"]
    assert "[0, 1, 2, 3, 4, 5, 6, 7]" in text_of(peer.tool("execute_python", code="order"))
