"""The hint about a connection that a library tried to make, whatever it raised in the end."""

import errno
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

NO_NETWORK = "There is no network here; work with the files of the workspace."
_NUMBERS = frozenset((errno.EAFNOSUPPORT, errno.ENETDOWN, errno.ENETUNREACH, errno.EHOSTUNREACH))
_MOST_LINKS = 12
_errno_of = OSError.__dict__["errno"].__get__
_cause_of = BaseException.__dict__["__cause__"].__get__
_context_of = BaseException.__dict__["__context__"].__get__
_module_of = type.__dict__["__module__"].__get__


def network_hint(error):
    """The hint where a failed connection led to an error, else None."""
    for _ in range(_MOST_LINKS):
        if error is None:
            return None
        if _is_failed_connection(error):
            return NO_NETWORK
        if not _may_stand_for_another(error):
            return None
        cause = _cause_of(error)
        error = cause if cause is not None else _context_of(error)
    return None


def _is_failed_connection(error):
    kind = type(error)
    unresolved = getattr(modules.get("_socket"), "gaierror", None)
    if unresolved is not None and issubclass(kind, unresolved):
        return True
    return issubclass(kind, OSError) and _errno_of(error) in _NUMBERS


def _may_stand_for_another(error):
    """Whether an error is a library's own or of the system: others have reasons of their own."""
    kind = type(error)
    return issubclass(kind, OSError) or _module_of(kind) not in ("builtins", "__main__")
