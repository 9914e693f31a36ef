"""A model's HTTP endpoint on loopback that says what a test wants."""

import contextlib
import http.server
import json
import threading
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Said:
    """One answer. `body` is sent as JSON unless it is bytes; `hang` keeps the connection open
    without a word until the endpoint closes, `drip` sends a byte at a time, for ever."""

    body: Any = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    hang: bool = False
    drip: bool = False


class Endpoint:
    """Answers in the order of `answers`; keeps what it was asked."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.requests = []
        self.paths = []
        self.headers = []
        self.closing = threading.Event()
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers.get("Content-Length", 0))
                endpoint.take(self, self.rfile.read(length))

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def take(self, handler, body):
        self.requests.append(json.loads(body))
        self.paths.append(handler.path)
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        said = self.answers.pop(0) if self.answers else Said({"error": "no more answers"}, 400)
        with contextlib.suppress(OSError):  # the client may be gone
            self.say(handler, said)

    def say(self, handler, said):
        if said.hang:
            self.closing.wait(60)
            return
        data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
        handler.send_response(said.status)
        for name, value in said.headers.items():
            handler.send_header(name, value)
        if not said.drip:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        while said.drip and not self.closing.wait(0.05):
            handler.wfile.write(b" ")
            handler.wfile.flush()
        handler.wfile.write(data)

    def close(self):
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def openai_says(text="", code=None, tokens=(100, 10), finish="stop"):
    """A chat completion, with a call of execute_python where there is code."""
    message = {"role": "assistant", "content": text}
    if code is not None:
        arguments = json.dumps({"code": code})
        function = {"name": "execute_python", "arguments": arguments}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return Said({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


def anthropic_says(text="", code=None, call_id="toolu-1"):
    """A message of Anthropic's, with a use of execute_python where there is code."""
    content = [{"type": "text", "text": text}] if text else []
    if code is not None:
        use = {"type": "tool_use", "id": call_id, "name": "execute_python", "input": {"code": code}}
        content.append(use)
    usage = {"input_tokens": 100, "output_tokens": 10}
    reason = "end_turn" if code is None else "tool_use"
    return Said({"type": "message", "content": content, "stop_reason": reason, "usage": usage})
