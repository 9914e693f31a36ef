"""Which of the closed list of causes an exception stands for."""

import errno
from linecache import getline as _getline

from .memory_reserve import has_room_for_a_thread
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
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_filename_of = OSError.__dict__["filename"].__get__


def is_refusal(error):
    """Whether the import guard has raised an exception."""
    return issubclass(type(error), (ImportRefused, CallRefused))


def _is_fork(error):
    """Whether the line that raised an OSError makes a process: its error says nothing of that."""
    traceback = _traceback_of(error)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return False
    return "fork" in _getline(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)


def is_about_threads(error):
    """Whether a thread could not be started, be it for their number or for memory."""
    return type(error) is RuntimeError and error.args == ("can't start new thread",)


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
        if number == errno.EAGAIN and _is_fork(error):
            return "processes"
        return _BY_ERRNO.get(number, "exception") if type(number) is int else "exception"
    if is_about_threads(error):
        return "threads" if has_room_for_a_thread() else "memory"
    return "exception"
