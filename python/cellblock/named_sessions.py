"""Sessions by the caller's own names: for tools whose calls carry nothing but a name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .errors import Expired, UnknownSession
from .policy import SecurityPolicy
from .result import ExecutionResult
from .session import Session
from .session_slots import SessionSlots

# A session may end between the look at it and the run, of which nothing was done then.
_ATTEMPTS = 3


class NamedSessions:
    """Get-or-create. Thread-safe; runs of one name go one after the other."""

    def __init__(self) -> None:
        self._slots = SessionSlots()

    def run(
        self,
        name: str,
        code: str,
        timeout_s: float,
        policy: SecurityPolicy | Mapping[str, Any] | None,
    ) -> ExecutionResult:
        """See :func:`execute_code`."""
        with self._slots.using(name) as slot:
            for left in reversed(range(_ATTEMPTS)):
                session = slot.open(lambda: Session(policy))
                try:
                    result = session.run(code, timeout_s)
                except (Expired, UnknownSession):
                    if left == 0:
                        raise
                    continue
                if result.status != "host_error" or session.ended is None:
                    break
            lost = slot.has_run(result)
            return result if lost is None else _told(result, lost)

    def close(self, name: str) -> bool:
        """See :func:`close_session`."""
        return self._slots.close(name)


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
