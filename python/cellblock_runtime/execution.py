"""One execution: compile, run, show what is left to show, and describe the outcome.

Everything that may run user code goes through `attempt`; the rest cannot be interrupted, so a
reply is always made. `execute` never raises.
"""

import builtins
import sys
import time
from _thread import _count as count_threads

from . import figures, interrupts, results
from .causes import cause_of
from .errors import describe
from .interrupts import attempt
from .own_builtins import __builtins__  # noqa: F401
from .wire import outbox

_COROUTINE = 0x80
_MIN_RECURSION = 500
_clock = time.perf_counter


def execute(session, code, execution_count):
    """Run one cell in the session's namespace; returns the reply (see the package's docstring)."""
    reply = {
        "status": "ok",
        "cause": None,
        "exit_code": 0,
        "interrupted": False,
        "text": None,
        "error": None,
        "variables": [],
        "changes": {"added": [], "changed": [], "removed": []},
        "threads": 0,
    }
    try:
        _execute(session, code, execution_count, reply)
    except BaseException as failure:
        _admit(reply, failure)
    return reply


def _execute(session, code, execution_count, reply):
    _restore(session)
    outbox.begin(session.max_result_bytes)
    cell, error = _compiled(session, code, execution_count)
    if cell is None:
        _tell_error(session, reply, error, "syntax")
    else:
        value, error = attempt(_run, session, cell)
        _make_room(session, error)
        if error is None:
            reply["text"], error = attempt(_show, value)
            value = None
        else:
            _, late_error = attempt(results.send_open_figures)
            if isinstance(late_error, KeyboardInterrupt):
                reply["interrupted"] = True
        if error is not None:
            _tell(session, reply, error)
        _clean_up(session)
    reply["variables"], reply["changes"] = session.variables_seen.scan(session.namespace)
    reply["threads"] = count_threads()


def _restore(session):
    """Put back what the last cell broke that the machinery or the next cell depends on."""
    interrupts.restore()
    if session.streams is not None:
        session.streams.restore()
    if sys.modules.get("__main__") is not session.main:
        sys.modules["__main__"] = session.main
    session.namespace.setdefault("__builtins__", builtins)
    if session.memory_reserve is None:
        session.memory_reserve, _ = attempt(bytearray, 1 << 20)


def _compiled(session, code, execution_count):
    """(cell, None) or (None, why it is not Python)."""
    try:
        return session.compiler.compile(code, execution_count), None
    except BaseException as error:
        return None, error.with_traceback(None)


def _run(session, cell):
    """The value of the cell's last expression, or None."""
    namespace = session.namespace
    if cell.is_timed:
        return _timed(_run_segments, session, cell, namespace)
    return _run_segments(session, cell, namespace)


def _run_segments(session, cell, namespace):
    value = None
    for segment in cell.segments:
        if segment.is_timed:
            value = _timed(_run_segment, session, segment, namespace)
        else:
            value = _run_segment(session, segment, namespace)
    return value


def _run_segment(session, segment, namespace):
    code = segment.code
    value = eval(code, namespace)
    if code.co_flags & _COROUTINE:
        value = session.event_loop.run(value)
    return value if segment.is_shown else None


def _timed(function, *arguments):
    start = _clock()
    try:
        return function(*arguments)
    finally:
        print(f"Wall time: {(_clock() - start) * 1000:.3g} ms")


def _show(value):
    """After the user's code: open figures, then the main result; returns its text."""
    but = value if value is not None and figures.is_figure(value) else None
    results.send_open_figures(but)
    return None if value is None else results.send_main_result(value)


def _clean_up(session):
    """What follows every run, whether it failed or not."""
    if session.streams is not None and not session.streams.are_ours():
        session.streams.flush()
    if results.has_drawn_figures():
        attempt(figures.close_all)
    figures.shown.figures.clear()


def _make_room(session, error):
    """Get the machinery going again after a run that used up memory or recursion."""
    interrupts.restore()
    if isinstance(error, MemoryError):
        session.memory_reserve = None
    if sys.getrecursionlimit() < _MIN_RECURSION:
        sys.setrecursionlimit(1000)


def _tell(session, reply, error):
    if isinstance(error, SystemExit):
        reply.update(status="exit", cause="exit", exit_code=_exit_code(error))
        return
    _tell_error(session, reply, error, cause_of(error))


def _tell_error(session, reply, error, cause):
    reply["status"], reply["cause"], reply["exit_code"] = "error", cause, 1
    reply["interrupted"] = reply["interrupted"] or isinstance(error, KeyboardInterrupt)
    session.compiler.register_again()
    reply["error"] = describe(error, session.namespace)


def _exit_code(error):
    """As the interpreter does at its end: None is 0, a number itself, a message 1 and printed."""
    code = error.args[0] if len(error.args) == 1 else (error.args or None)
    if code is None:
        return 0
    if isinstance(code, int):
        number = int.__int__(code)
        return number if abs(number) < 2**31 else 1
    attempt(lambda: print(code, file=sys.stderr))
    return 1


def _admit(reply, failure):
    """The last resort: an error that names what broke the machinery's own work."""
    kind = type(failure).__name__
    value = f"the session could not finish the execution: {kind}"
    error = {"name": kind, "value": value, "traceback": value, "hint": None}
    reply.update(status="error", cause="exception", exit_code=1, error=error)
