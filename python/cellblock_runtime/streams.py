"""sys.stdin, sys.stdout and sys.stderr of a session.

Output goes straight to the session's descriptors, unbuffered, so that a crash or `os._exit` loses
nothing. There is nobody to type, so reading from stdin fails at once.
"""

import sys
from io import FileIO, TextIOBase, TextIOWrapper

from .interrupts import attempt
from .own_builtins import __builtins__  # noqa: F401

NO_INPUT = "there is no one to type: standard input is closed"


class ClosedInput(TextIOBase):
    """Standard input that answers every read with EOFError."""

    name = "<stdin>"
    encoding = "utf-8"
    errors = "strict"

    def read(self, size=-1):
        raise EOFError(NO_INPUT)

    def readline(self, size=-1):
        raise EOFError(NO_INPUT)

    def readlines(self, hint=-1):
        raise EOFError(NO_INPUT)

    def __next__(self):
        raise EOFError(NO_INPUT)

    def readable(self):
        return False

    def close(self):
        """Stay open: `exit()` closes stdin."""


class Streams:
    """The session's own streams, put back when a user's replacement is of no use."""

    def __init__(self, out=1, err=2):
        self.descriptors = {"stdout": out, "stderr": err}
        self.stdin = ClosedInput()
        self.stdout = _output(out)
        self.stderr = _output(err)
        sys.stdin = sys.__stdin__ = self.stdin
        sys.stdout = sys.__stdout__ = self.stdout
        sys.stderr = sys.__stderr__ = self.stderr

    def restore(self):
        """At the start of an execution: keep a user's stream only if it can be written to."""
        names = vars(sys)
        if names.get("stdout") is not self.stdout or _is_gone(self.stdout):
            self._restore_one("stdout")
        if names.get("stderr") is not self.stderr or _is_gone(self.stderr):
            self._restore_one("stderr")
        if names.get("stdin") is None:
            sys.stdin = self.stdin

    def close(self):
        """For the end of a guest: its descriptors will be others'."""
        for stream in (self.stdout, self.stderr):
            attempt(stream.close)

    def are_ours(self):
        """Whether the user's code has left the streams alone; ours need no flush."""
        names = vars(sys)
        return names.get("stdout") is self.stdout and names.get("stderr") is self.stderr

    def flush(self):
        """After user code: flush streams that the user put in place of ours."""
        for name in ("stdout", "stderr"):
            stream = vars(sys).get(name)
            if stream is not None:
                attempt(lambda stream=stream: stream.flush())

    def _restore_one(self, name):
        stream = vars(sys).get(name)
        _, error = attempt(lambda: stream.write(""))
        if error is None:
            return
        if _is_gone(getattr(self, name)):
            setattr(self, name, _output(self.descriptors[name]))
        setattr(sys, name, getattr(self, name))


def _is_gone(stream):
    try:
        return stream.closed
    except ValueError:  # detached from its descriptor
        return True


def _output(descriptor):
    raw = FileIO(descriptor, "w", closefd=False)
    return TextIOWrapper(raw, "utf-8", "backslashreplace", newline="\n", write_through=True)
