"""`cellblock mcp --http` as a process, and ways to speak to it."""

import http.client
import json
import re
import socket
import subprocess
import tempfile

# Generous: a machine that builds beside the tests is slow; nothing waits this long when it works.
PATIENCE_S = 60
PATH = "/mcp"
STATELESS = "2026-07-28"


class HttpServer:
    """Started at a free port of this machine; ends with close()."""

    def __init__(self, binary, arguments=(), environment=None, address="127.0.0.1:0"):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [binary, "mcp", "--http", address, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
        )
        line = self.process.stdout.readline()
        assert line, f"the server did not start: {self.stderr()}"
        self.place = json.loads(line)
        self.port = self.place["port"]
        self.url = self.place["url"]
        shown = re.search(r"Bearer is (\S+)", self.stderr())
        self.token = shown and shown[1]

    def stderr(self):
        """What it has said to people so far."""
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def close(self):
        """End it; returns its exit status."""
        self.process.terminate()
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            self.process.stdout.close()
            self.errors.close()

    # --- bytes ---

    def connect(self):
        """A socket."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def head(self, method="POST", path=PATH, **headers):
        """A request's head; `None` leaves a header out, `_` stands for `-`."""
        lines = {
            "host": f"127.0.0.1:{self.port}",
            "authorization": f"Bearer {self.token}",
            "content_type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        lines.update(headers)
        text = f"{method} {path} HTTP/1.1\r\n"
        for name, value in lines.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    text += f"{name.replace('_', '-')}: {one}\r\n"
        return (text + "\r\n").encode("latin-1")

    def exchange(self, data, patience_s=PATIENCE_S):
        """Send bytes over a connection of their own; returns (status, headers, body)."""
        with self.connect() as connection:
            connection.settimeout(patience_s)
            try:
                connection.sendall(data)
            except OSError:
                pass  # refused before it was all sent
            response = http.client.HTTPResponse(connection)
            response.begin()
            body = b"" if response.length == 0 else response.read()
            return response.status, response.headers, body

    def post(self, body, method="POST", path=PATH, **headers):
        """A whole request with that body (bytes, or anything that JSON can hold)."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers.setdefault("content_length", len(data))
        return self.exchange(self.head(method, path, **headers) + data)

    # --- MCP ---

    def stateless_request(self, method, params=None, id=1, token=None):
        """The body and further headers of a stateless request; `token`: asks for progress."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": STATELESS,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        if token is not None:
            meta["progressToken"] = token
        params = {**(params or {}), "_meta": meta}
        headers = {"mcp_protocol_version": STATELESS, "mcp_method": method}
        if "name" in params:
            headers["mcp_name"] = params["name"]
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        return json.dumps(message).encode(), headers

    def stateless(self, method, params=None, id=1, headers=None):
        """A stateless request; returns (status, answer)."""
        body, own = self.stateless_request(method, params, id)
        status, answered, body = self.post(body, **{**own, **(headers or {})})
        return status, answer_of(answered, body)

    def call(self, tool, **arguments):
        """Call a tool; returns its result."""
        status, answer = self.stateless("tools/call", {"name": tool, "arguments": arguments})
        assert status == 200, answer
        return answer["result"]


def events_of(body):
    """The messages of a stream of events."""
    blocks = body.decode().split("\n\n")
    lines = [
        "\n".join(line[6:] for line in block.split("\n") if line.startswith("data: "))
        for block in blocks
    ]
    return [json.loads(line) for line in lines if line]


def answer_of(headers, body):
    """The answer, from one JSON text or from the end of a stream."""
    if not body:
        return None
    if headers["content-type"] == "text/event-stream":
        return events_of(body)[-1]
    return json.loads(body)
