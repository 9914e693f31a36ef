"""The sessions behind one tool."""

from __future__ import annotations

import threading
from collections.abc import Callable

from cellblock import Session, UnknownSession


class ToolSessions:
    """One session for each key, opened by the first use and replaced when it has expired.

    Thread-safe. A session that is closed by its executor's limits is simply opened again.
    """

    def __init__(self, open_session: Callable[[], Session]):
        self._open = open_session
        self._lock = threading.Lock()
        self._sessions: dict[str, Session] = {}
        self._closed = False

    def get(self, key: str) -> tuple[Session, bool]:
        """The session, and whether it takes the place of one that has ended. Blocks while one is
        opened. Raises UnknownSession after close(), and what opening raises."""
        with self._lock:
            if self._closed:
                raise UnknownSession("The tool was closed: make a new one.")
            old = self._sessions.get(key)
            if old is not None and old.ended is None:
                return old, False
            self._forget_ended()
            self._sessions[key] = self._open()
            return self._sessions[key], old is not None

    def _forget_ended(self) -> None:
        for key in [key for key, one in self._sessions.items() if one.ended is not None]:
            self._sessions.pop(key).close()

    def close(self) -> None:
        """Close every session; what runs is cancelled. Twice is nothing."""
        with self._lock:
            self._closed = True
            while self._sessions:
                self._sessions.popitem()[1].close()
