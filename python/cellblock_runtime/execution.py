"""One execution: compile, run, show what is left to show, and describe the outcome.

Everything that may run user code goes through `attempt` or `attempt_whole`; the rest cannot be
interrupted, so a reply is always made. `execute` never raises.
"""

import builtins
import sys
from sys import getrecursionlimit, modules, setrecursionlimit
from time import perf_counter
from _thread import _count as count_threads

from . import figures, interrupts, results
from .background import end_threads
from .cells import CO_COROUTINE
from .causes import cause_of, is_refusal
from .errors import describe
from .interrupts import attempt, attempt_whole, is_interrupt
from .own_builtins import __builtins__  # noqa: F401
from .wire import outbox

_MIN_RECURSION = 500
_exit_value_of = SystemExit.__dict__["code"].__get__


def execute(session, code, execution_count, imports=()):
    """Run one cell in the session's namespace; returns the reply (see the package's docstring)."""
    reply = {
        "status": "ok",
        "cause": None,
        "exit_code": 0,
        "interrupted": False,
        "text": None,
        "error": None,
        "variables": None,
        "changes": {"added": [], "changed": [], "removed": []},
        "threads": 0,
    }
    try:
        _execute(session, code, execution_count, imports, reply)
    except BaseException as failure:
        _admit(reply, failure)
    return reply


def _execute(session, code, execution_count, imports, reply):
    _restore(session)
    outbox.begin(session.max_result_bytes)
    stopped = _import_again(session, imports)
    cell, error = _compiled(session, code, execution_count)
    if stopped is not None:
        _tell(session, reply, stopped)
    elif cell is None:
        _tell_error(session, reply, error, _cause_before_the_run(error))
    else:
        if cell.is_awaiting:
            session.event_loop.prepare()
        session.variables_seen.watch(cell.codes, session.namespace)
        value, error = attempt_whole(_run, session, cell)
        _make_room(session, error)
        if error is None:
            reply["text"], error = attempt_whole(_show, value)
            value = None
        else:
            _, late_error = attempt(results.send_open_figures)
            if is_interrupt(late_error):
                reply["interrupted"] = True
        if error is not None:
            _tell(session, reply, error)
            error = None  # this frame is one of its traceback's
        _clean_up(session)
        session.cells_run += 1
    try:
        _finish(session, code, reply)
    except MemoryError:
        # The cell has left none, and has ended well.
        if not session.memory_reserve.give_back():
            raise
        _finish(session, code, reply)


def _finish(session, code, reply):
    """What is told of the session, whatever became of the cell. To do it again changes nothing."""
    reply["threads"] = count_threads()
    if reply["threads"] and session.end_threads_s:
        reply["threads"] = end_threads(session.end_threads_s)
    listing, reply["changes"] = session.variables_seen.scan(session.namespace)
    # None: as in the last reply. A long list costs more than all the rest of a small run.
    reply["variables"] = None if listing is session.listing_told else listing
    session.listing_told = listing
    if session.imports is not None:
        session.imports.note(code)
        reply["imports"] = list(session.imports.statements)


def _import_again(session, imports):
    """What a dead predecessor had imported; returns an interrupt that ended it, or None."""
    if not imports or session.imports is None:
        return None
    return session.imports.make_again(imports, session, sys.stderr.write)


def _restore(session):
    """Put back what the last cell broke that the machinery or the next cell depends on."""
    interrupts.restore()
    if session.streams is not None:
        session.streams.restore()
    if modules.get("__main__") is not session.main:
        modules["__main__"] = session.main
    session.namespace.setdefault("__builtins__", builtins)
    session.namespace.setdefault("__name__", "__main__")
    session.memory_reserve.take()


def _compiled(session, code, execution_count):
    """(cell, None) or (None, why it is not Python, or not permitted)."""
    try:
        try:
            return session.compiler.compile(code, execution_count), None
        except MemoryError:
            # The last cell has left none: this one may be the one that frees some.
            if not session.memory_reserve.give_back():
                raise
        return session.compiler.compile(code, execution_count), None
    except BaseException as error:
        error.__suppress_context__ = True
        # A refusal's traceback has its place in the cell; the others' only frames of ours.
        return None, error if is_refusal(error) else error.with_traceback(None)


def _cause_before_the_run(error):
    """No Python, or too deeply nested for it; else what kept it from being compiled."""
    is_syntax = issubclass(type(error), (SyntaxError, ValueError, OverflowError, RecursionError))
    return "syntax" if is_syntax else cause_of(error)


def _run(session, cell):
    """The value of the cell's last expression, or None."""
    namespace = session.namespace
    if cell.is_timed:
        return _timed(_run_segments, session, cell, namespace)
    return _run_segments(session, cell, namespace)


def _run_segments(session, cell, namespace):
    segments = cell.segments
    if cell.is_awaiting:
        return session.event_loop.run(_run_awaiting(segments, namespace))
    value = None
    for segment in segments:
        if segment.is_timed:
            value = _timed(eval, segment.code, namespace)
        else:
            value = eval(segment.code, namespace)
    return value if segments[-1].is_shown else None


async def _run_awaiting(segments, namespace):
    """The same inside the event loop, so that all of the cell sees it running."""
    value = None
    for segment in segments:
        start = perf_counter()
        value = eval(segment.code, namespace)
        if segment.code.co_flags & CO_COROUTINE:
            value = await value
        if segment.is_timed:
            _tell_time(start)
    return value if segments[-1].is_shown else None


def _timed(function, *arguments):
    start = perf_counter()
    try:
        return function(*arguments)
    finally:
        _tell_time(start)


def _tell_time(start):
    print(f"Wall time: {(perf_counter() - start) * 1000:.3g} ms")


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
    if issubclass(type(error), MemoryError):
        session.memory_reserve.give_back()
    if getrecursionlimit() < _MIN_RECURSION:
        setrecursionlimit(1000)


def _tell(session, reply, error):
    if issubclass(type(error), SystemExit):
        reply.update(status="exit", cause="exit", exit_code=_exit_code(error))
        return
    _tell_error(session, reply, error, cause_of(error))


def _tell_error(session, reply, error, cause):
    reply["status"], reply["cause"], reply["exit_code"] = "error", cause, 1
    reply["interrupted"] = reply["interrupted"] or is_interrupt(error)
    session.compiler.register_again()
    reply["error"] = describe(error, session)


def _exit_code(error):
    """As the interpreter does at its end: None is 0, a number itself, a message 1 and printed."""
    code = _exit_value_of(error)
    if code is None:
        return 0
    if issubclass(type(code), int):
        number = int.__int__(code)
        return number if abs(number) < 2**31 else 1
    attempt(lambda: print(code, file=sys.stderr))
    return 1


def _admit(reply, failure):
    """The last resort: an error that names what broke the machinery's own work."""
    kind = type(failure).__name__
    value = f"the session could not finish the execution: {kind}"
    error = {"name": kind, "value": value, "traceback": value, "hint": None}
    reply.update(status="error", cause=cause_of(failure), exit_code=1, error=error)
