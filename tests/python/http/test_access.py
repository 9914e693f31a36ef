"""Who is let in: pages of other sites, names that were rebound, clients without the token."""

import json

import pytest
from http_server import PATH

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ROUTES = [
    PATH,
    "/",
    "/health",
    "/upload",
    "/ws",
    "/metrics",
    "/admin",
    "/mcp/",
    "/sse",
    "/messages",
]


def refused(answer, status):
    """The answer has that status and opens nothing to other origins."""
    got, headers, body = answer
    assert got == status, (got, body)
    for name in headers:
        assert not name.lower().startswith("access-control-"), name
    assert "*" not in str(headers)
    if body:
        assert json.loads(body)["error"]["message"].endswith(".")
    return headers


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", ROUTES)
def test_every_route_and_method_wants_the_token(server, path, method):
    for authorization in (None, "Bearer wrong-wrong-wrong-wrong", f"Basic {server.token}"):
        data = server.head(method, path, authorization=authorization, content_length=0)
        got, headers, _ = server.exchange(data)
        assert got == 401
        assert headers["www-authenticate"].startswith("Bearer")
        assert not [name for name in headers if name.lower().startswith("access-control-")]


def test_an_upgrade_to_a_web_socket_wants_the_token_and_is_none(server):
    upgrade = {"upgrade": "websocket", "connection": "Upgrade", "sec_websocket_key": "eA=="}
    refused(server.exchange(server.head("GET", PATH, authorization=None, **upgrade)), 401)
    refused(server.exchange(server.head("GET", PATH, **upgrade)), 405)


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        "{token}",
        "Bearer {token}x",
        "Bearer {short}",
        "Bearer {token} {token}",
        "Token {token}",
        ["Bearer {token}", "Bearer {token}"],
    ],
)
def test_only_the_whole_token_is_the_token(server, authorization):
    def fill(text):
        return text.format(token=server.token, short=server.token[:-1])

    given = [fill(one) for one in authorization] if isinstance(authorization, list) else None
    answer = server.post(LIST, authorization=given or fill(authorization))
    refused(answer, 400 if given else 401)


def test_the_token_counts_in_the_header_only(server):
    data = server.head("POST", f"{PATH}?token={server.token}", authorization=None, content_length=2)
    refused(server.exchange(data + b"{}"), 401)
    refused(server.post(LIST, authorization=None, cookie=f"token={server.token}"), 401)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "localhost",
        "localhost:1",
        "127.0.0.1",
        "127.0.0.1.nip.io:{port}",
        "localhost.evil.example:{port}",
        "0.0.0.0:{port}",
        "[::]:{port}",
        "127.0.0.2:{port}",
        "localhost.:{port}",
        "",
    ],
)
def test_another_host_is_refused(server, host):
    refused(server.post(LIST, host=host.format(port=server.port)), 421)


def test_a_request_names_one_host(server):
    own = f"localhost:{server.port}"
    refused(server.post(LIST, host=None), 400)
    refused(server.post(LIST, host=[own, "evil.example"]), 400)
    target = f"http://{own}{PATH}"
    refused(server.exchange(server.head("POST", target, content_length=0)), 400)


@pytest.mark.parametrize("host", ["localhost:{port}", "LocalHost:{port}", "[::1]:{port}"])
def test_the_names_of_this_machine_are_taken(server, host):
    status, answer = server.stateless("tools/list", headers={"host": host.format(port=server.port)})
    assert status == 200 and answer["result"]["tools"]


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "http://localhost",
        "http://localhost:3000",
        "https://localhost:{port}",
        "http://localhost:{port}.evil.example",
        "http://evil.example:{port}",
        "file://",
        "*",
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "DELETE", "OPTIONS"])
def test_another_origin_is_refused(server, origin, method):
    data = server.head(method, origin=origin.format(port=server.port), content_length=0)
    refused(server.exchange(data), 403)


def test_two_origins_are_refused(server):
    own = f"http://localhost:{server.port}"
    refused(server.post(LIST, origin=[own, "https://evil.example"]), 400)


def test_the_own_origin_is_taken_without_opening_anything(server):
    status, _ = server.stateless(
        "tools/list", headers={"origin": f"http://127.0.0.1:{server.port}"}
    )
    assert status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_browser_that_says_that_another_site_asks_is_refused(server, site):
    refused(server.exchange(server.head("GET", sec_fetch_site=site, sec_fetch_mode="no-cors")), 403)


@pytest.mark.parametrize("authorization", [None, "Bearer {token}"])
def test_a_preflight_is_refused(server, authorization):
    answer = server.exchange(
        server.head(
            "OPTIONS",
            authorization=authorization and authorization.format(token=server.token),
            origin=f"http://localhost:{server.port}",
            access_control_request_method="POST",
            access_control_request_headers="authorization,content-type",
            access_control_request_private_network="true",
        )
    )
    refused(answer, 405 if authorization else 401)


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonp",
        "application/json-patch+json",
        "text/json",
        "application/octet-stream",
    ],
)
def test_a_post_that_a_page_could_send_unasked_is_refused(server, content_type):
    refused(server.post(LIST, content_type=content_type), 415)


def test_json_is_taken_in_any_case_and_with_a_charset(server):
    for content_type in ("Application/JSON", "application/json; charset=utf-8"):
        status, _ = server.stateless("tools/list", headers={"content_type": content_type})
        assert status == 200


def test_a_compressed_body_is_refused(server):
    refused(server.post(b"\x1f\x8b", content_encoding="gzip"), 415)


def test_without_a_token_the_other_rules_hold(open_server):
    server = open_server
    assert server.token is None
    status, _ = server.stateless("tools/list", headers={"authorization": None})
    assert status == 200
    refused(server.post(LIST, host="evil.example"), 421)
    refused(server.post(LIST, origin="https://evil.example"), 403)
    refused(server.post(LIST, origin="null"), 403)
    refused(server.post(LIST, content_type="text/plain"), 415)
    refused(server.exchange(server.head("OPTIONS", content_length=0)), 405)


def test_what_is_answered_runs_nowhere(server):
    """A browser that is made to show an answer finds nothing to run, guess or keep."""
    _, headers, _ = server.post(LIST, mcp_method="<script>alert(1)</script>")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "sandbox" in headers["content-security-policy"]
    assert headers["content-type"] == "application/json"
