"""Models behind HTTP: what they are sent, how their answers are read, and every way to fail."""

import http.server
import threading
import time

import pytest
from cellblock.agent import (
    AnthropicModel,
    EndpointError,
    EndpointTimeout,
    Message,
    OpenAIModel,
    Request,
    Tokens,
    ToolCall,
)
from fake_endpoint import Said, anthropic_says, openai_says

TOOL = {"name": "execute_python", "description": "Runs.", "parameters": {"type": "object"}}
KEY = "sk-very-secret"
CONVERSATION = (
    Message("system", "Be brief."),
    Message("user", "Go."),
    Message("assistant", "", (ToolCall("a", "execute_python", '{"code": "1"}'),)),
    Message("tool", "one", tool_call_id="a"),
    Message("user", "More."),
)


def ask(model, messages=CONVERSATION, **limits):
    return model.reply(Request(messages, TOOL, **limits))


# --- OpenAI ---------------------------------------------------------------------------------------


def test_openai_is_sent_messages_tool_and_key(endpoint):
    server = endpoint(openai_says("hi"))
    model = OpenAIModel("m", KEY, server.url + "/v1/", options={"temperature": 0})

    reply = ask(model)

    (sent,) = server.requests
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert sent["model"] == "m" and sent["temperature"] == 0
    assert [m["role"] for m in sent["messages"]] == ["system", "user", "assistant", "tool", "user"]
    assert sent["messages"][3]["tool_call_id"] == sent["messages"][2]["tool_calls"][0]["id"] == "a"
    assert sent["tools"] == [{"type": "function", "function": TOOL}]
    assert (reply.text, reply.tokens) == ("hi", Tokens(100, 10))


def test_a_server_without_tools_and_without_a_key_is_sent_none(endpoint):
    server = endpoint(openai_says("hi"))

    ask(OpenAIModel("m", base_url=server.url, tools=False))

    assert "tools" not in server.requests[0]
    assert "authorization" not in server.headers[0]


def test_the_reply_is_bounded_by_the_smaller_limit(endpoint):
    server = endpoint(openai_says(), openai_says())
    model = OpenAIModel("m", base_url=server.url, max_tokens=500)

    ask(model, max_tokens=70)
    ask(model, max_tokens=7000)

    assert [sent["max_completion_tokens"] for sent in server.requests] == [70, 500]


# --- Anthropic ------------------------------------------------------------------------------------


def test_anthropic_is_sent_turns_that_alternate(endpoint):
    server = endpoint(anthropic_says("hi"))

    reply = ask(AnthropicModel("m", KEY, server.url))

    (sent,) = server.requests
    assert server.paths == ["/v1/messages"]
    assert server.headers[0]["x-api-key"] == KEY
    assert server.headers[0]["anthropic-version"] == "2023-06-01"
    assert sent["system"] == "Be brief."
    assert sent["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Go."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "a", "name": "execute_python", "input": {"code": "1"}}
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                {"type": "text", "text": "More."},
            ],
        },
    ]
    assert sent["tools"] == [
        {"name": "execute_python", "description": "Runs.", "input_schema": {"type": "object"}}
    ]
    assert (reply.text, reply.tokens) == ("hi", Tokens(100, 10))


def test_anthropics_own_blocks_go_back_as_they_came(endpoint):
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    first = anthropic_says("I look.", code="1")
    first.body["content"].insert(0, thinking)
    server = endpoint(first, anthropic_says("done"))
    model = AnthropicModel("m", KEY, server.url)

    said = ask(model, CONVERSATION[:2]).to_message()
    ask(model, (*CONVERSATION[:2], said, Message("tool", "one", tool_call_id="toolu-1")))

    assert server.requests[1]["messages"][1]["content"] == first.body["content"]


def test_an_empty_message_and_broken_arguments_are_sent_in_a_form_that_is_taken(endpoint):
    server = endpoint(anthropic_says("x"))
    broken = Message("assistant", " ", (ToolCall("b", "execute_python", '{"code'),))

    ask(
        AnthropicModel("m", KEY, server.url), (Message("user", "Go."), Message("assistant"), broken)
    )

    assert server.requests[0]["messages"][1]["content"] == [
        {
            "type": "tool_use",
            "id": "b",
            "name": "execute_python",
            "input": {"arguments": '{"code'},
        }
    ]


# --- trying again ---------------------------------------------------------------------------------


def test_a_rate_limit_is_waited_for_as_the_server_asks_and_told(endpoint):
    limited = Said({"error": {"message": "slow down"}}, 429, {"Retry-After": "0.3"})
    server = endpoint(limited, openai_says("hi"))
    started = time.monotonic()

    reply = ask(OpenAIModel("m", KEY, server.url))

    assert time.monotonic() - started >= 0.3
    assert reply.text == "hi"
    (note,) = reply.notes
    assert "waited 0.3 s" in note and "HTTP 429: slow down" in note


@pytest.mark.parametrize("status", [500, 503, 529])
def test_a_server_in_trouble_is_asked_again(endpoint, status):
    server = endpoint(Said({}, status), openai_says("hi"))

    assert ask(OpenAIModel("m", KEY, server.url)).text == "hi"
    assert len(server.requests) == 2


def test_retries_end_and_the_error_tells_all_of_it(endpoint):
    server = endpoint(*[Said({"error": "busy"}, 503, {"Retry-After": "0"})] * 3)

    with pytest.raises(EndpointError, match="HTTP 503: busy") as caught:
        ask(OpenAIModel("m", KEY, server.url, retries=2))

    assert caught.value.status == 503
    assert len(caught.value.notes) == 2
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_final(endpoint, status):
    server = endpoint(Said({"error": {"message": "no such model"}}, status))

    with pytest.raises(EndpointError, match=f"HTTP {status}: no such model") as caught:
        ask(OpenAIModel("m", KEY, server.url))

    assert caught.value.status == status
    assert len(server.requests) == 1


def test_a_wait_that_is_longer_than_the_time_left_is_not_begun(endpoint):
    server = endpoint(Said({}, 429, {"Retry-After": "3600"}))
    started = time.monotonic()

    with pytest.raises(EndpointTimeout, match="3600.0 s, which is more than the time that is left"):
        ask(OpenAIModel("m", KEY, server.url), timeout_s=5)

    assert time.monotonic() - started < 5


@pytest.mark.parametrize("asked", ["601", "1e300"])
def test_without_a_time_limit_no_server_makes_the_caller_wait_for_long(endpoint, asked):
    server = endpoint(Said({"error": "busy"}, 429, {"Retry-After": asked}))

    with pytest.raises(EndpointError, match="more than the 600 s") as caught:
        ask(OpenAIModel("m", KEY, server.url), timeout_s=None)

    assert caught.value.status == 429
    assert len(server.requests) == 1


def test_a_date_to_wait_for_is_understood(endpoint):
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    server = endpoint(Said({}, 429, {"Retry-After": past}), openai_says("hi"))

    assert "waited 0.0 s" in ask(OpenAIModel("m", KEY, server.url)).notes[0]


def test_no_connection_is_tried_again_and_told():
    with pytest.raises(EndpointError, match="no answer .ConnectionRefusedError") as caught:
        ask(OpenAIModel("m", KEY, "http://127.0.0.1:9", retries=1))

    assert len(caught.value.notes) == 1


# --- answers that are none ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [b"<html>hello</html>", b"", b"[1]", b'{"object": "list"}', b"[" * 100_000]
)
def test_what_is_no_answer_of_the_api_is_an_error(endpoint, body):
    server = endpoint(Said(body))

    with pytest.raises(EndpointError, match="the answer is not what OpenAI's .* Check base_url"):
        ask(OpenAIModel("m", KEY, server.url))


def test_an_answer_that_is_too_large_is_an_error(endpoint):
    server = endpoint(Said(b" " * ((32 << 20) + 1)))

    with pytest.raises(EndpointError, match="larger than"):
        ask(OpenAIModel("m", KEY, server.url))


def test_a_redirect_is_not_followed(endpoint):
    other = endpoint(openai_says("stolen"))
    server = endpoint(Said({}, 307, {"Location": other.url + "/chat/completions"}))

    with pytest.raises(EndpointError, match="HTTP 307"):
        ask(OpenAIModel("m", KEY, server.url))

    assert other.requests == []


@pytest.mark.parametrize("url", ["ftp://x", "file:///etc/passwd", "localhost:8000", ""])
def test_an_impossible_address_is_refused(url):
    with pytest.raises(EndpointError, match="no address of an endpoint"):
        ask(OpenAIModel("m", KEY, url))


@pytest.mark.parametrize("said", [Said(hang=True), Said(drip=True, body=b"")])
def test_a_server_that_hangs_or_drips_ends_with_the_time(endpoint, said):
    server = endpoint(said)
    started = time.monotonic()

    with pytest.raises(EndpointTimeout, match="no whole answer within"):
        ask(OpenAIModel("m", KEY, server.url), timeout_s=1)

    assert 0.9 <= time.monotonic() - started < 4


def test_one_request_has_a_limit_of_its_own_and_is_tried_again(endpoint):
    server = endpoint(Said(hang=True), openai_says("hi"))

    reply = ask(OpenAIModel("m", KEY, server.url, timeout_s=0.5))

    assert reply.text == "hi"
    assert "no whole answer within 0.5 s" in reply.notes[0]


def test_no_thread_is_left_behind(endpoint):
    server = endpoint(openai_says("a"), openai_says("b"))
    model = OpenAIModel("m", KEY, server.url)
    ask(model, timeout_s=60)
    before = threading.active_count()

    ask(model, timeout_s=60)

    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() <= before


# --- the key --------------------------------------------------------------------------------------


def test_the_key_is_shown_nowhere(endpoint):
    server = endpoint(Said({"error": {"message": f"Incorrect key {KEY}"}}, 401))
    model = OpenAIModel("m", KEY, server.url)

    with pytest.raises(EndpointError) as caught:
        ask(model)

    assert KEY not in str(caught.value)
    assert KEY not in repr(model)
    assert "***" in str(caught.value)


def test_a_proxy_of_the_environment_is_used(monkeypatch):
    asked = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append((self.path, self.headers.get("Proxy-Authorization")))
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"choices": [{"message": {"content": "through"}}]}')

        def log_message(self, *arguments):
            pass

    proxy = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
    thread = threading.Thread(target=proxy.handle_request)
    thread.start()
    monkeypatch.setenv("http_proxy", f"http://me:pa%40ss@127.0.0.1:{proxy.server_port}")
    monkeypatch.setenv("no_proxy", "")
    try:
        reply = ask(OpenAIModel("m", base_url="http://models.example/v1"))
    finally:
        thread.join()
        proxy.server_close()

    assert reply.text == "through"
    assert asked == [("http://models.example/v1/chat/completions", "Basic bWU6cGFAc3M=")]
