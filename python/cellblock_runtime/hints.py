"""One sentence that says what to do about an error, or None.

A hint may look at hostile objects, so it is asked for through `attempt` and may fail.
"""

import errno
from linecache import getlines as _getlines

from . import packages
from .causes import is_about_threads
from .column_hints import attribute_hint, label_hint
from .dialect import NO_WINDOWS, Refused, kind_of_command
from .file_hints import forbidden_file_hint, missing_file_hint, unsaved_file_hint
from .memory_reserve import has_room_for_a_thread
from .misspellings import meant_by
from .name_hints import name_hint, no_command
from .network_hints import network_hint
from .nearness import either
from .own_builtins import __builtins__  # noqa: F401
from .refusals import CallRefused, ImportRefused
from .streams import NO_INPUT
from .tracebacks import innermost_source_line, value_text

_traceback_of = BaseException.__dict__["__traceback__"].__get__


def hint_for(error, session):
    """The hint for an exception that ended a cell of the session."""
    for kind, hint in _HINTS:
        if issubclass(type(error), kind):
            return hint(error, session) or network_hint(error)
    return network_hint(error)


def _refused(error, session):
    if error.kind == "magic":
        return (
            "This magic is not known here; %time, %%time and %matplotlib inline are, "
            "the rest is written as plain Python."
        )
    return no_command(error.kind)


def _syntax(error, session):
    line = (error.text or "").strip()
    if issubclass(type(error), IndentationError):
        return (
            "Indent each block by four spaces, never mixed with tabs, "
            "and send a compound statement with its whole body."
        )
    if line.endswith("?"):
        return f"There is no `?` here; use help({line.strip('?')}) instead."
    kind = kind_of_command(line)
    return no_command(kind) if kind is not None else None


def _module_not_found(error, session):
    name = error.name or ""
    package, _, part = name.partition(".")
    if not package:
        return None
    if package in _WINDOW_PACKAGES:
        return NO_WINDOWS
    if part and packages.is_installed(package):
        return f"`{package}` is installed, but there is no `{name}` in it."
    near = meant_by(package)
    if near:
        return f"`{package}` is not installed; did you mean {either(near)}?"
    return f"`{package}` is not installed and cannot be; {packages.what_there_is()}."


def _import_refused(error, session):
    return f"Allowed and installed: {packages.installed_note()}."


def _import_error(error, session):
    text = value_text(error)
    # matplotlib's refusals of a backend that opens windows.
    if any(word in text for word in _WINDOW_WORDS):
        return NO_WINDOWS
    text = text.lower()
    if "subinterpreter" in text or "one interpreter per process" in text:
        return (
            "This package cannot be loaded in an interpreter of its own: open the session with "
            'interpreter "main" in its policy.'
        )
    if "optional dependency" not in text and "install" not in text:
        return None
    return f"Packages cannot be installed here; {packages.what_there_is()}."


def _call_refused(error, session):
    return (
        "Cells start no processes, open no connections and load no native code: use Python "
        "libraries in this process and files in the workspace; what has to happen outside is for "
        "the host's tools."
    )


_WINDOW_PACKAGES = frozenset(
    "_tkinter gi ipykernel ipympl tkinter wx PyQt4 PyQt5 PyQt6 PySide2 PySide6 pygame".split()
)


_WINDOW_WORDS = ("interactive framework", "Qt binding", "GTK", "Gtk", "wxPython", "backend")


def _attribute_error(error, session):
    if error.obj is None or error.name is None:
        return None
    return attribute_hint(error.obj, error.name)


def _key_error(error, session):
    return label_hint(error, error.args[0] if error.args else None)


def _end_of_file(error, session):
    if error.args != (NO_INPUT,):
        return None
    return "There is no one to type: assign the value in code or upload a file and read it."


def _memory(error, session):
    return (
        "The memory limit was reached: delete what is no longer needed (`del name`), work in "
        "chunks or use smaller dtypes."
    )


def _recursion(error, session):
    return "The recursion never ended or went too deep: check its end condition or use a loop."


def _interrupted(error, session):
    place = innermost_source_line(error)
    if place is None:
        return "The run was stopped; do less in one run or ask for more time."
    filename, number, line = place
    where = f"It was stopped at {filename}, line {number}"
    if any(word in line for word in _ROW_LOOPS) or any(_is_row_loop(error)):
        return f"{where}; replace the loop over rows by vectorised column operations or groupby."
    if "sleep(" in line:
        return f"{where}, in a sleep; nothing is waited for here, leave it out."
    return f"{where}; check the loop's end, do less in one run or ask for more time."


_ROW_LOOPS = (".iterrows(", ".itertuples(", ".apply(")


def _is_row_loop(error):
    """For each cell in the traceback, whether its source loops over the rows of a frame."""
    traceback = _traceback_of(error)
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename.startswith("<cell "):
            source = "".join(_getlines(filename))
            yield any(word in source for word in _ROW_LOOPS)
        traceback = traceback.tb_next


def _os_error(error, session):
    if type(error.errno) is int and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "The workspace is full: delete files that are no longer needed."
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return (
            "The limit of open files was reached: close what is done with, e.g. by `with open(…)`."
        )
    if error.errno == errno.EFBIG:
        return "One file may not be larger than this session's limit: write several smaller ones."
    if error.errno in (errno.EROFS, errno.EACCES):
        return forbidden_file_hint(error, session)
    if error.errno is None:
        return unsaved_file_hint(error, session)
    if error.errno == errno.EPERM and error.filename is None:
        return (
            "The sandbox does not permit this: there are no child processes, no network and no "
            "system calls beyond files and threads; use Python libraries in this process."
        )
    return None


def _runtime_error(error, session):
    if not is_about_threads(error):
        return None
    if not has_room_for_a_thread():
        return _memory(error, session)
    return "The limit of threads was reached: use fewer workers and join those that are done."


_HINTS = (
    (Refused, _refused),
    (SyntaxError, _syntax),
    (NameError, name_hint),
    (ModuleNotFoundError, _module_not_found),
    (ImportRefused, _import_refused),
    (ImportError, _import_error),
    (CallRefused, _call_refused),
    (AttributeError, _attribute_error),
    (KeyError, _key_error),
    (FileNotFoundError, missing_file_hint),
    (OSError, _os_error),
    (EOFError, _end_of_file),
    (MemoryError, _memory),
    (RecursionError, _recursion),
    (RuntimeError, _runtime_error),
    (KeyboardInterrupt, _interrupted),
)
