"""Sessions by name: each opened by its first use, and replaced when it has ended."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .errors import UnknownSession
from .result import ExecutionResult
from .session import Session

_MOST_REMEMBERED = 1_000


class SessionSlot:
    """One name's session. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # held while a session is opened
        self._session: Session | None = None
        self._closed = False
        self._memory_lock = threading.Lock()
        self._variables: list[str] = []
        self._lost: list[str] | None = None
        #: How many work with it; for SessionSlots.
        self.users = 0

    def open(self, open_session: Callable[[], Session]) -> Session:
        """The session; opened, if there is none that takes calls. Blocks meanwhile.

        Raises UnknownSession after close(), and what opening raises."""
        with self._lock:
            if self._closed:
                raise UnknownSession("The session was closed: call again to open a new one.")
            if self._session is not None and self._session.ended is not None:
                self._session.close()
                self._session = None
                with self._memory_lock:
                    self._lost = self._variables
            if self._session is None:
                self._session = open_session()
            return self._session

    def has_run(self, result: ExecutionResult) -> list[str] | None:
        """To be told each result. Returns, once, the variables that were lost when a session took
        the place of one that had ended; None: there is no such loss to tell."""
        with self._memory_lock:
            self._variables = [variable.name for variable in result.variables]
            lost, self._lost = self._lost, None
            return lost

    @property
    def is_open(self) -> bool:
        """Whether there is a session that takes calls."""
        session = self._session
        return session is not None and session.ended is None

    def close(self) -> bool:
        """Close the session, and let none be opened. Waits for one that is being opened. False:
        there was none."""
        with self._lock:
            self._closed = True
            session, self._session = self._session, None
        if session is None:
            return False
        session.close()
        return True


class SessionSlots:
    """A slot for each name. Thread-safe: while one session is opened the others can be used.

    What ended with a session is remembered, of at least the last 500 names that were used.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._slots: OrderedDict[str, SessionSlot] = OrderedDict()
        self._closed = False

    @contextmanager
    def using(self, name: str) -> Iterator[SessionSlot]:
        """The name's slot; it stays the name's meanwhile, unless it is closed.

        Raises UnknownSession after close_all()."""
        with self._lock:
            if self._closed:
                raise UnknownSession("The tool was closed: make a new one.")
            slot = self._slots.setdefault(name, SessionSlot())
            self._slots.move_to_end(name)
            slot.users += 1
            if len(self._slots) > _MOST_REMEMBERED:
                self._forget_ended()
        try:
            yield slot
        finally:
            with self._lock:
                slot.users -= 1

    def _forget_ended(self) -> None:
        for name, slot in list(self._slots.items())[: -_MOST_REMEMBERED // 2]:
            if slot.users == 0 and not slot.is_open:
                del self._slots[name]
                slot.close()

    def close(self, name: str) -> bool:
        """Close the session of that name; False: there is none. Whoever waits for it is refused;
        whoever comes later opens another."""
        with self._lock:
            slot = self._slots.pop(name, None)
        return slot is not None and slot.close()

    def close_all(self) -> None:
        """Close every session and let none be opened. Twice is nothing."""
        with self._lock:
            self._closed = True
            slots = list(self._slots.values())
            self._slots.clear()
        for slot in slots:
            slot.close()
