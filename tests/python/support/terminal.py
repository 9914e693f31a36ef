"""A program at a pseudo-terminal: type, wait for what it shows."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

# Generous: a machine that builds beside the tests is slow; nothing waits this long when it works.
PATIENCE_S = 60


class Terminal:
    """Keeps everything that was shown; `mark` separates what was there from what comes."""

    def __init__(self, arguments, environment, columns=100, rows=40):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self.shown = ""
        self.seen = 0

    def type(self, text):
        """Send keys; Enter is \\r."""
        os.write(self.master, text.encode())

    def expect(self, text):
        """Wait until `text` is shown after what was last waited for; returns what lay between."""
        deadline = time.monotonic() + PATIENCE_S
        while (at := self.shown.find(text, self.seen)) < 0:
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"{text!r} was not shown; after {self.shown[self.seen :]!r}")
        before = self.shown[self.seen : at]
        self.seen = at + len(text)
        return before

    def _read(self, limit_s):
        if limit_s <= 0 or not select.select([self.master], [], [], limit_s)[0]:
            return False
        try:
            chunk = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += chunk.decode(errors="replace")
        return bool(chunk)

    def wait(self):
        """Wait for the program's end; returns its exit status."""
        deadline = time.monotonic() + PATIENCE_S
        while self._read(deadline - time.monotonic()):
            pass
        return self.process.wait(max(1, deadline - time.monotonic()))

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)
