"""A raw client of `cellblock mcp` on standard input and output: JSON lines, nothing else."""

import json
import select
import subprocess
import time

# Generous: a machine that builds beside the tests is slow; nothing waits this long when it works.
PATIENCE_S = 90
STATELESS = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class McpError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data")


class McpClient:
    """`version` is a handshake's, or STATELESS: then every request says everything."""

    def __init__(self, binary, arguments=(), environment=None, version=STATELESS):
        self.version = version
        self.process = subprocess.Popen(
            [binary, "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.buffer = bytearray()
        self.next_id = 0
        self.answers = {}
        self.notifications = []
        if version != STATELESS:
            self.server = self.call(
                "initialize",
                protocolVersion=version,
                capabilities={},
                clientInfo={"name": "test", "version": "1"},
            )
            self.notify("notifications/initialized")

    def write(self, data):
        """Send bytes as they are."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def write_message(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def notify(self, method, **params):
        self.write_message({"jsonrpc": "2.0", "method": method, "params": params})

    def send(self, method, meta=None, **params):
        """Send a request; returns its id."""
        self.next_id += 1
        whole_meta = {**(META if self.version == STATELESS else {}), **(meta or {})}
        if whole_meta:
            params["_meta"] = whole_meta
        self.write_message(
            {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        )
        return self.next_id

    def read_line(self, patience_s=PATIENCE_S):
        """Read the next line: a message, or the answers of a batch."""
        deadline = time.monotonic() + patience_s
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError("no line in time")
            chunk = self.process.stdout.read1(1 << 20)
            if not chunk:
                raise EOFError("the server has ended")
            self.buffer += chunk
        line, _, rest = self.buffer.partition(b"\n")
        self.buffer = rest
        return json.loads(line)

    def read_message(self, patience_s=PATIENCE_S):
        """Read the next line, which must be a message."""
        message = self.read_line(patience_s)
        assert message["jsonrpc"] == "2.0"
        return message

    def _keep(self, message):
        if "method" in message:
            self.notifications.append(message)
        else:
            self.answers[message.get("id")] = message

    def answer(self, request_id):
        """Wait for the answer of one request; raises McpError."""
        while request_id not in self.answers:
            self._keep(self.read_message())
        message = self.answers.pop(request_id)
        if "error" in message:
            raise McpError(message["error"])
        return message["result"]

    def call(self, method, meta=None, **params):
        """Send a request and wait for its answer."""
        return self.answer(self.send(method, meta, **params))

    def send_tool(self, tool, meta=None, **arguments):
        """Send a tools/call; returns its id."""
        return self.send("tools/call", meta, name=tool, arguments=arguments)

    def tool(self, tool, meta=None, **arguments):
        """Call a tool; returns its result, also where that is an error."""
        return self.answer(self.send_tool(tool, meta, **arguments))

    def wait_for_notification(self, method):
        """Wait for the next notification of that name; returns its params."""
        while True:
            for index, message in enumerate(self.notifications):
                if message["method"] == method:
                    return self.notifications.pop(index)["params"]
            self._keep(self.read_message())

    def close(self):
        """Close the server's input and wait for its end; returns the exit status."""
        self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()


def text_of(result):
    """The text of a tool's result, its blocks one under the other."""
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
