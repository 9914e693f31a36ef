"""A `print` that writes its text in one piece.

The session's streams are unbuffered, so that nothing is lost when the process dies. The built-in
`print` writes each argument, separator and end by itself: that many system calls, between which
the output of other threads can come.
"""

import builtins
import sys
from io import StringIO

from .own_builtins import __builtins__  # noqa: F401

_print = builtins.print


def install(streams):
    """Replace `print`; one to a stream that is not a session's own goes the usual way."""

    def print(*values, sep=" ", end="\n", file=None, flush=False):
        stream = vars(sys).get("stdout") if file is None else file
        if stream is not streams.stdout and stream is not streams.stderr:
            _print(*values, sep=sep, end=end, file=file, flush=flush)
            return
        pieces = StringIO()
        try:
            _print(*values, sep=sep, end=end, file=pieces)
        finally:
            # What came before an argument that cannot be printed is printed, as ever.
            if text := pieces.getvalue():
                stream.write(text)

    print.__doc__ = _print.__doc__
    print.__module__ = "builtins"
    print.__qualname__ = "print"
    builtins.print = print
