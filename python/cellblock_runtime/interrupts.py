"""Where a SIGINT may end something, and where it must not.

`attempt_whole(function, *arguments)` is the only place from which user code is called. While it
runs, the gate is open and a SIGINT raises KeyboardInterrupt; everywhere else a SIGINT is dropped,
so that no reply of ours is lost and an old signal cannot hit the next cell.

The narrow spot is the way in and out of it. If the handler finds that only our frames lie between
the interruption and its nearest call, it shuts the gate before it raises: at most one exception can
hit our own code there, and `attempt_whole` catches it. Where a user's frame lies in
between, it raises each time, so a cell that swallows one interrupt gets the next one too.

Other threads never receive a signal's exception, so they leave the gate alone. Where SIGINT cannot
be taken (a subinterpreter), cells are simply not interruptible.
"""

import _signal
import sys
from _thread import get_ident

from .own_builtins import OWN, __builtins__  # noqa: F401

_set_traceback = BaseException.__dict__["__traceback__"].__set__
_SIGINT = int(_signal.SIGINT)
_getsignal, _take = _signal.getsignal, _signal.signal
_set_mask = _signal.pthread_sigmask
_SIG_BLOCK, _SIG_SETMASK = int(_signal.SIG_BLOCK), int(_signal.SIG_SETMASK)
_gettrace, _settrace = sys.gettrace, sys.settrace
_getprofile, _setprofile = sys.getprofile, sys.setprofile


class _Gate:
    __slots__ = ("open", "mask", "thread", "is_installed")


_gate = _Gate()
_gate.open = False
_gate.mask = ()
_gate.thread = get_ident()
_gate.is_installed = False


def attempt(function, *arguments):
    """The same as `attempt_whole`; an exception has lost its traceback, but for an interrupt's."""
    value, error = attempt_whole(function, *arguments)
    if error is not None and not is_interrupt(error):
        _set_traceback(error, None)
    return value, error


def attempt_whole(function, *arguments):
    """Call what may run user code. Returns (value, None) or (None, exception); never raises.

    The exception's traceback holds every frame up to the caller of the cell: who keeps the
    exception in one of them beyond its need keeps alive what the user's frames hold, until a
    garbage collection.
    """
    if get_ident() != _gate.thread:
        return _attempt_elsewhere(function, arguments)
    before = _gate.open
    try:
        try:
            _gate.open = True
            return function(*arguments), None
        finally:
            _gate.open = before
    except BaseException as error:
        _gate.open = before
        return None, error


def _attempt_elsewhere(function, arguments):
    try:
        return function(*arguments), None
    except BaseException as error:
        return None, error


def is_interrupt(error):
    """Whether an exception (or None) is a KeyboardInterrupt; `__class__` is not asked."""
    return issubclass(type(error), KeyboardInterrupt)


_ATTEMPT = attempt_whole.__code__


def on_sigint(signal_number, frame):
    """The SIGINT handler of a session."""
    if not _gate.open:
        return
    while frame is not None and frame.f_builtins is OWN:
        if frame.f_code is _ATTEMPT:
            _gate.open = False
            break
        frame = frame.f_back
    raise KeyboardInterrupt


def claim_thread():
    """The calling thread is the one that runs cells."""
    _gate.open = False
    _gate.thread = get_ident()


def install():
    """Take SIGINT and remember the signal mask; called by the thread that will run cells."""
    claim_thread()
    _gate.mask = _set_mask(_SIG_BLOCK, ())
    try:
        _take(_SIGINT, on_sigint)
        _gate.is_installed = True
    except ValueError:
        _gate.is_installed = False


def restore():
    """Undo what a user's cell did to the handler, the mask and the tracing hooks."""
    _gate.open = False
    if _gate.is_installed:
        if _getsignal(_SIGINT) is not on_sigint:
            _take(_SIGINT, on_sigint)
        _set_mask(_SIG_SETMASK, _gate.mask)
    if _gettrace() is not None:
        _settrace(None)
    if _getprofile() is not None:
        _setprofile(None)
