"""Hints about files and folders that are not there or cannot be written."""

import errno
import os
import re

from .nearness import listed, nearest
from .network_hints import NO_NETWORK
from .own_builtins import __builtins__  # noqa: F401
from .tracebacks import value_text

_MOST_NAMES = 200
_traceback_of = BaseException.__dict__["__traceback__"].__get__
_of_processes = re.compile(r"(multiprocessing|concurrent\.futures\.process)(\.|$)").match
_no_folder = re.compile("Cannot save file into a non-existent directory: '(.+)'").fullmatch
_not_found = re.compile(r"(.+) not found\.").fullmatch


def missing_file_hint(error, session):
    """What to do about a file or a folder that is not there."""
    path = _path_of(error)
    if path is None:
        return NO_PROCESSES if _is_within_processes(error) else None
    if "://" in path:
        return None if path.startswith("file:") else NO_NETWORK
    place = _Place(session)
    folder = os.path.dirname(path)
    if os.path.isabs(path):
        if not place.holds(path) and not os.access(folder, os.W_OK):
            return f"{place.advice()} {place.tell(path)}"
    elif not place.is_within:
        return f"{place.where_one_is()} {place.tell(path)}"
    if path.startswith("~"):
        return f"Python does not expand `~`: use a relative path. {place.tell(path)}"
    if folder and not os.path.isdir(folder):
        return f"{_make_it(folder)} {place.tell(path)}"
    return place.tell(path, folder, "; upload the file or create it first")


def unsaved_file_hint(error, session):
    """What to do about pandas' refusal to write into a folder that is not there, or None."""
    found = _no_folder(value_text(error))
    if found is None:
        return None
    place = _Place(session)
    if os.path.isabs(found[1]) and not place.holds(found[1]):
        return place.advice_to_write()
    return _make_it(found[1])


def forbidden_file_hint(error, session):
    """What to do about a path that may not be read or written, or None."""
    path = _path_of(error)
    if path is None:
        return NO_PROCESSES if _is_within_processes(error) else None
    place = _Place(session)
    if place.holds(path):
        return None
    return place.advice_to_write() if error.errno == errno.EROFS else place.advice()


def _is_within_processes(error):
    """Whether a pool of processes, or a lock between processes, could not be made."""
    traceback = _traceback_of(error)
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    name = traceback.tb_frame.f_globals.get("__name__") if traceback is not None else None
    return type(name) is str and _of_processes(name) is not None


NO_PROCESSES = (
    "Pools of processes cannot be used here: use threads "
    "(concurrent.futures.ThreadPoolExecutor) or do the work in this process."
)


def _path_of(error):
    """The path that an error is about; None where it names none."""
    path = error.filename
    if path is None:
        # numpy's own: "data.csv not found."
        found = _not_found(value_text(error))
        return found[1] if found is not None else None
    if error.filename2 is not None and os.path.lexists(path):
        path = error.filename2  # that to which it was to be moved
    return os.fsdecode(path) or None if type(path) in (str, bytes) else None


def _make_it(folder):
    return (
        f"There is no folder {folder!r}; to write into it, make it first: "
        f"os.makedirs({folder!r}, exist_ok=True)."
    )


class _Place:
    """The workspace and the folder that relative paths begin at."""

    def __init__(self, session):
        try:
            self.current = os.getcwd()
        except OSError:
            self.current = None  # it has been removed
        self.workspace = session.config.get("workspace") or self.current
        self.is_within = self.current is not None and self.holds(self.current)
        if self.is_within:  # by the name that the workspace goes by
            below = os.path.relpath(self.current, os.path.realpath(self.workspace))
            self.current = os.path.normpath(os.path.join(self.workspace, below))

    def holds(self, path):
        """Whether a path is one of the workspace."""
        if self.workspace is None:
            return False
        root, path = os.path.realpath(self.workspace), os.path.realpath(path)
        return path == root or path.startswith(root + os.sep)

    def where_one_is(self):
        """A sentence that tells both folders."""
        now = "gone" if self.current is None else self.current
        return f"The working folder is {now}, the workspace is {self.workspace}."

    def advice(self):
        """Where the files are."""
        way = ": use a relative path" if self.is_within else ""
        return f"Only the workspace, {self.workspace}, is for this session's files{way}."

    def advice_to_write(self):
        """Where to write."""
        if self.is_within:
            return f"Write to a relative path; the working folder is {self.current}."
        return f"Write into the workspace, which is {self.workspace}."

    def tell(self, path, folder="", advice=""):
        """What is in a folder ("": the working folder, or the workspace where that is elsewhere),
        and which of it a path may have meant."""
        folder = folder or (self.current if self.is_within else self.workspace)
        if folder is None:
            return "There is no working folder."
        names = sorted(os.listdir(folder))[:_MOST_NAMES]
        is_workspace = os.path.realpath(folder) == os.path.realpath(self.workspace)
        what = "The workspace" if is_workspace else f"The folder {folder}"
        if not names:
            return f"{what} is empty{advice}."
        name = os.path.basename(path)
        near = [name] if os.path.exists(os.path.join(folder, name)) else nearest(name, names)
        here = "" if folder == self.current else folder
        meant = f" Did you mean {os.path.join(here, near[0])!r}?" if near else ""
        return f"{what} has: {listed(names)}.{meant}"
