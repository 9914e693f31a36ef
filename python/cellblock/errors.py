"""What goes wrong on the host's side of a call.

What user code did is never raised: it is a value in the :class:`cellblock.ExecutionResult`.
"""

from __future__ import annotations


class CellblockError(Exception):
    """A call could not be done. ``message`` is one sentence that says what to do."""

    #: The same names as the JSON-RPC face's ``data.kind``.
    kind = "host_error"

    def __init__(self, message: str):
        super().__init__(message)
        self.message = message


class UnknownSession(CellblockError):
    """The session was closed."""

    kind = "unknown_session"


class Expired(CellblockError):
    """The session's ``session_ttl_s`` or ``idle_ttl_s`` is over."""

    kind = "expired"


class BusyLimit(CellblockError):
    """The executor has as many sessions as it may."""

    kind = "busy_limit"


class PolicyInvalid(CellblockError):
    """A field of the policy is unknown or has a value that cannot be."""

    kind = "policy_invalid"


class IsolationUnavailable(CellblockError):
    """This machine cannot isolate as the policy requires."""

    kind = "isolation_unavailable"


class Unsupported(CellblockError):
    """Cellblock, or this version of it, cannot do that."""

    kind = "unsupported"


class BadArgument(CellblockError, ValueError):
    """An argument has a value that the call cannot take."""

    kind = "bad_argument"


class TooLarge(CellblockError):
    """A piece of code or data is larger than a limit."""

    kind = "too_large"


class HostError(CellblockError):
    """The host, not the code, is the cause: a program is missing, memory is short, …"""

    kind = "host_error"


_BY_KIND: dict[str, type[CellblockError]] = {
    error.kind: error
    for error in (
        UnknownSession,
        Expired,
        BusyLimit,
        PolicyInvalid,
        IsolationUnavailable,
        Unsupported,
        BadArgument,
        TooLarge,
        HostError,
    )
}


def error_of(kind: str, message: str) -> CellblockError:
    """Make the exception that stands for a kind."""
    return _BY_KIND[kind](message)
