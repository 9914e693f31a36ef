"""Threads that outlive their cell."""

import _cellblock_session
from time import monotonic, sleep
from _thread import _count as count_threads

from .own_builtins import __builtins__  # noqa: F401

_stop_threads = _cellblock_session.stop_threads
_PAUSE = 0.002


def end_threads(seconds):
    """Ask them to end and wait that long for it; returns how many live on.

    A thread takes the wish when it next runs Python: one that sleeps or waits for a lock does not.
    """
    end = monotonic() + seconds
    while count_threads():
        _stop_threads()
        if monotonic() >= end:
            break
        sleep(_PAUSE)
    return count_threads()
