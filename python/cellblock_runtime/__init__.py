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
from _thread import _count as count_threads

from .guarding import install as _install_guard
from .interrupts import claim_thread
from .lodging import Lodging, Snapshot
from .packages import installed_names  # noqa: F401
from .preload import preload as _preload
from .refusals import refusal  # noqa: F401
from .session import Session


class _Process:
    """The session of this interpreter, or of those in it the one whose turn it is."""

    session = None
    snapshot = None


_process = _Process()


def preload(names, helpers_path="", helpers_source=""):
    """Import and warm packages before the first fork; see preload.py."""
    return _preload(names, helpers_path, helpers_source)


def start(config, guard=None, guest=None):
    """Begin the session of this interpreter; unknown keys of `config` are ignored.

    `guard` is the interpreter's import guard (see guarding.py), None with the guard off; `guest`
    says how it lives in a host program's process, None in a process of its own. Returns what
    `take_turn` and `end_turn` want of a guest in a shared interpreter, whose first turn this is.
    """
    session = Session(config)
    lodging = Lodging()
    if guest is None:
        session.enter()
    else:
        session.lodge(guest)
    if guard is not None:
        _install_guard(guard, session)
    _process.session = session
    return session, lodging


def take_turn(lodger):
    """Before a shared interpreter serves a guest: put its things in place."""
    _process.session, lodging = lodger
    lodging.exchange()
    claim_thread()


def end_turn(lodger):
    """Afterwards: give the interpreter back as it was."""
    lodger[1].exchange()


def leave():
    """The end of a guest."""
    _process.session.leave()
    _process.session = None


def remember():
    """Note the state of a fresh interpreter of ours."""
    _process.snapshot = Snapshot()


def wash():
    """Bring it back to that state, for the next session."""
    if count_threads():
        raise RuntimeError("threads of the session still run")
    _process.snapshot.restore()


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
