"""What a sandbox is made with, and until when it lives: what both kinds of sandbox share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from ..policy import SecurityPolicy
from ..session import Session
from . import unsupported
from .exceptions import InvalidArgumentException, translated

#: Seconds, as in E2B.
DEFAULT_LIFETIME = 300.0
DEFAULT_RUN_TIMEOUT = 300.0
LONGEST = 86_400.0

#: What E2B's calls take for its service, which is not used here.
_OF_THE_SERVICE = frozenset(
    "api_key access_token api_url domain debug headers proxy request_timeout logger secure "
    "sandbox_url validate_api_key".split()
)


def check_options(options: Mapping[str, Any]) -> None:
    """Take what is for E2B's service, refuse the rest."""
    for name in options:
        if name in ("mcp", "network", "lifecycle", "volume_mounts", "iam"):
            unsupported.refuse(f"Sandbox.create({name}=…)", "see docs/python.md for what there is")
        if name not in _OF_THE_SERVICE:
            raise TypeError(f"Sandbox.create() got an unexpected keyword argument {name!r}")


def policy_of(
    policy: SecurityPolicy | Mapping[str, Any] | None, envs: Mapping[str, str] | None
) -> SecurityPolicy:
    """The policy, with E2B's long limits on time where it has none of its own."""
    if policy is None:
        fields: dict[str, Any] = {"timeout_s": LONGEST}
    else:
        fields = dict(policy.to_dict() if isinstance(policy, SecurityPolicy) else policy)
    with translated():
        made = SecurityPolicy.from_dict(fields)
        # The sandbox's own clock decides, since set_timeout can move it.
        return made.replace(
            env={**made.env, **(envs or {})}, session_ttl_s=LONGEST, idle_ttl_s=LONGEST
        )


def run_timeout(timeout: float | None) -> float:
    """Seconds for a run: E2B's default, and 0 for as long as the policy lets."""
    if timeout is None:
        return DEFAULT_RUN_TIMEOUT
    return timeout or LONGEST


class Lifetime:
    """Closes a session when its time is over, on a thread of its own. Thread-safe.

    Does not keep the session open.
    """

    def __init__(self, seconds: float, session: Session):
        """Begin to count."""
        self._lock = threading.Lock()
        self._session = weakref.ref(session, lambda _: self.stop())
        self._timer: threading.Timer | None = None
        self.over = False
        self.started_at = datetime.now(timezone.utc)
        self.set(seconds)

    def set(self, seconds: float) -> None:
        """Count anew from now."""
        if not 0 < seconds <= LONGEST:
            raise InvalidArgumentException(f"timeout must be above 0 and at most {LONGEST:.0f} s")
        with self._lock:
            self._stop()
            self.end_at = datetime.now(timezone.utc) + timedelta(seconds=seconds)
            self._timer = threading.Timer(seconds, self._expire)
            self._timer.daemon = True
            self._timer.start()

    def _expire(self) -> None:
        if (session := self._session()) is not None:
            self.over = True
            session.close()

    def stop(self) -> None:
        """Count no more."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
