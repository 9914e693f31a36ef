"""Sessions by the caller's own names: for tools whose calls carry nothing but a name."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from .errors import Expired
from .policy import SecurityPolicy
from .result import ExecutionResult
from .session import Session

_MOST_REMEMBERED = 1_000


class _Named:
    """One name: its session, and the variables that it had after its last run."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.session: Session | None = None
        self.names: list[str] = []


class NamedSessions:
    """Get-or-create. Thread-safe; runs of one name go one after the other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._named: OrderedDict[str, _Named] = OrderedDict()

    def _get(self, name: str) -> _Named:
        with self._lock:
            named = self._named.setdefault(name, _Named())
            self._named.move_to_end(name)
            if len(self._named) > _MOST_REMEMBERED:
                self._forget_ended()
            return named

    def _forget_ended(self) -> None:
        """Names that were not used for long, and whose sessions have ended."""
        for name, named in list(self._named.items())[: -_MOST_REMEMBERED // 2]:
            if named.session is None or named.session.ended is not None:
                if not named.lock.locked():
                    del self._named[name]

    def run(
        self,
        name: str,
        code: str,
        timeout_s: float,
        policy: SecurityPolicy | Mapping[str, Any] | None,
    ) -> ExecutionResult:
        """See :func:`execute_code`."""
        named = self._get(name)
        with named.lock:
            expired = False
            while True:
                if named.session is not None and named.session.ended is not None:
                    expired = isinstance(named.session.ended, Expired)
                    named.session.close()
                    named.session = None
                if named.session is None:
                    named.session = Session(policy)
                result = named.session.run(code, timeout_s)
                # It may have expired between the look and the run: then nothing of it ran.
                if result.status != "host_error" or named.session.ended is None:
                    break
            if expired:
                result = _told(result, named.names)
            named.names = [variable.name for variable in result.variables]
            return result

    def close(self, name: str) -> bool:
        """See :func:`close_session`."""
        with self._lock:
            named = self._named.pop(name, None)
        if named is None or named.session is None:
            return False
        named.session.close()
        return True


def _told(result: ExecutionResult, lost: list[str]) -> ExecutionResult:
    """The result, saying that the session before had expired."""
    data = result.to_dict()
    data["state"] = "lost"
    data["lost_names"] = lost
    data["policy_events"]["session_expired"] = 1
    return ExecutionResult(data)


_sessions = NamedSessions()


def execute_code(
    session_id: str,
    code: str,
    timeout_s: float = 30,
    *,
    policy: SecurityPolicy | Mapping[str, Any] | None = None,
) -> ExecutionResult:
    """Run code in the session of that name, which is opened by the first use.

    ``session_id`` is any text of the caller's. ``policy`` is for a session that is opened now.
    One that has expired is replaced by a fresh one, and the result says so: ``state`` is ``lost``,
    ``lost_names`` has the variables that are gone, ``policy_events`` counts ``session_expired``.
    """
    if not isinstance(session_id, str):
        raise TypeError(f"session_id must be a str, not {type(session_id).__name__}")
    return _sessions.run(session_id, code, timeout_s, policy)


def close_session(session_id: str) -> bool:
    """Close the session of that name; False: there is none."""
    return _sessions.close(session_id)


def _forget() -> None:
    global _sessions
    _sessions = NamedSessions()


# The sessions belong to the parent.
os.register_at_fork(after_in_child=_forget)
