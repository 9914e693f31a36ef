"""Threads that outlive their cell."""

import threading

import pytest

from cellblock_runtime import background


@pytest.fixture
def thread():
    """A thread that ends when `stop` is set."""
    stop = threading.Event()
    started = threading.Thread(target=stop.wait, daemon=True)
    started.stop = stop
    started.start()
    yield started
    stop.set()
    started.join()


def test_a_thread_that_ends_when_asked_is_waited_for(thread, monkeypatch):
    monkeypatch.setattr(background, "_stop_threads", thread.stop.set)
    before = threading.active_count()
    assert background.end_threads(30) == before - 2
    assert not thread.is_alive()


def test_a_thread_that_does_not_listen_is_counted_after_the_bound(thread):
    assert background.end_threads(0.01) >= 1
    assert thread.is_alive()


def test_without_threads_nothing_is_waited_for(monkeypatch):
    monkeypatch.setattr(background, "count_threads", lambda: 0)
    monkeypatch.setattr(background, "sleep", None)
    assert background.end_threads(30) == 0
