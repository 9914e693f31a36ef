"""Clients of `cellblock serve`."""

import contextlib
import json
import select
import socket
import subprocess
import time

import pytest

# Generous: a machine that builds beside the tests is slow; nothing waits this long when it works.
PATIENCE_S = 60


class RpcError(Exception):
    """The server answered with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.kind = error["data"]["kind"]


def refusal(call, *arguments, **params):
    """The error that a call must end with."""
    with pytest.raises(RpcError) as caught:
        call(*arguments, **params)
    return caught.value


class Peer:
    """Sends requests and reads lines; what comes before an awaited answer is kept."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer
        self.buffer = bytearray()
        self.next_id = 0
        self.answers = {}
        self.notifications = []

    def write(self, data):
        """Send bytes as they are."""
        self.writer.write(data)
        self.writer.flush()

    def send(self, method, **params):
        """Send a request; returns its id."""
        self.next_id += 1
        request = {"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}
        self.write(json.dumps(request).encode() + b"\n")
        return self.next_id

    def read_message(self, patience_s=PATIENCE_S):
        """Read the next line."""
        deadline = time.monotonic() + patience_s
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                raise TimeoutError("no line in time")
            chunk = self.reader.read1(1 << 20)
            if not chunk:
                raise EOFError("the server has ended")
            self.buffer += chunk
        line, _, rest = self.buffer.partition(b"\n")
        self.buffer = rest
        return json.loads(line)

    def answer(self, request_id):
        """Wait for the answer of one request; raises RpcError."""
        while request_id not in self.answers:
            message = self.read_message()
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.notifications.append(message)
        message = self.answers.pop(request_id)
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]

    def call(self, method, **params):
        """Send a request and wait for its answer."""
        return self.answer(self.send(method, **params))

    def wait_for_notification(self, method):
        """Wait for the next notification of that name; returns its params."""
        while True:
            for index, message in enumerate(self.notifications):
                if message["method"] == method:
                    return self.notifications.pop(index)["params"]
            message = self.read_message()
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.notifications.append(message)


class SocketClient(Peer):
    """A connection to `cellblock serve --socket`."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        super().__init__(self.socket.makefile("rb"), self.socket.makefile("wb"))

    def close(self):
        """Cut the connection."""
        with contextlib.suppress(OSError):  # the server was first
            self.socket.shutdown(socket.SHUT_RDWR)
        self.reader.close()
        with contextlib.suppress(OSError):  # what could not be sent
            self.writer.close()
        self.socket.close()


class Client(Peer):
    """Starts `cellblock serve --stdio` and is its peer."""

    def __init__(self, binary, arguments=(), environment=None):
        self.process = subprocess.Popen(
            [binary, "serve", "--stdio", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        super().__init__(self.process.stdout, self.process.stdin)

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
