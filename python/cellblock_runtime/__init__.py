"""The Python that runs inside a session.

The zygote calls `preload` once. In each forked child the request loop calls `start` before any
user code and then, one at a time and from the main thread, `execute`, `complete`, `inspect`,
`is_complete`, `variables`, `reset`, and at the end `shutdown`. Arguments and replies are plain
values: None, bool, int within 64 bits, float, str, bytes, list, and dict with str keys.

`execute` never raises. Its reply has `status` (ok, error, exit), `cause` (one of the closed list
of causes, None when ok), `exit_code`, `interrupted` (a KeyboardInterrupt ended it), `text` (the
repr of the last expression or None), `error` ({name, value, traceback, hint} or None),
`variables` [{name, type, summary}] (None: as in the last reply), `changes` {added, changed,
removed}, `threads` (live threads beside the main one) and, where they are noted, `imports`
(statements). Results go to the host while the cell runs, through the builtin module
`_cellblock_session` (see wire); the main result is the last.
"""

from .own_builtins import __builtins__  # noqa: F401
from .preload import preload as _preload
from .session import Session


class _Process:
    """The one session of this process."""

    session = None


_process = _Process()


def preload(names, helpers_path="", helpers_source=""):
    """Import and warm packages before the first fork; see preload.py."""
    return _preload(names, helpers_path, helpers_source)


def start(config):
    """Begin the session of this process; unknown keys of `config` are ignored."""
    session = Session(config)
    session.enter()
    _process.session = session


def execute(code, execution_count, imports=()):
    """Run one cell, after the imports of a dead predecessor, and return the reply."""
    return _process.session.execute(code, execution_count, imports)


def complete(code, cursor):
    """{matches, start, end} at a cursor counted in code points."""
    return _process.session.complete(code, cursor)


def inspect(code, cursor):
    """{found, text, name, type, signature, docstring} of the name at a cursor."""
    return _process.session.inspect(code, cursor)


def is_complete(code):
    """{status: complete | incomplete | invalid, indent}."""
    return _process.session.is_complete(code)


def variables():
    """[{name, type, summary}], most recently changed first, at most 100."""
    return _process.session.variables()


def reset():
    """A fresh `__main__`; the process, its folder and its loaded modules stay."""
    _process.session.reset()


def shutdown():
    """Run the user's atexit functions and flush the streams."""
    _process.session.shutdown()
