"""Which of the closed list of causes an exception stands for."""

import errno

from .own_builtins import __builtins__  # noqa: F401
from .refusals import CallRefused, ImportRefused

_BY_ERRNO = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EFBIG: "file_size",
    errno.EMFILE: "open_files",
    errno.ENFILE: "open_files",
    errno.EAFNOSUPPORT: "denied_syscall",
    errno.ENOMEM: "memory",
}
_errno_of = OSError.__dict__["errno"].__get__
_filename_of = OSError.__dict__["filename"].__get__


def is_refusal(error):
    """Whether the import guard has raised an exception."""
    return issubclass(type(error), (ImportRefused, CallRefused))


def cause_of(error):
    """The `cause` of an execution that `error` ended; runs no user code."""
    kind = type(error)
    if issubclass(kind, MemoryError):
        return "memory"
    if issubclass(kind, RecursionError):
        return "stack_overflow"
    if issubclass(kind, ImportRefused):
        return "import_refused"
    if issubclass(kind, OSError):
        number = _errno_of(error)
        if number == errno.EPERM and _filename_of(error) is None:
            return "denied_syscall"
        return _BY_ERRNO.get(number, "exception") if type(number) is int else "exception"
    if kind is RuntimeError and error.args == ("can't start new thread",):
        return "threads"
    return "exception"
