"""A session as a guest: in an interpreter that the host program or other sessions use as well.

`Lodging` keeps what a session sets in shared modules (streams, `print`, `__main__`, the import
guard). `exchange` puts it in place and keeps the others' instead, and the other way round the next
time, so that each finds things as it left them. `Snapshot` cleans an interpreter for its next use.
"""

import atexit
import builtins
import gc
import importlib
import inspect
import os
import sys
import warnings
from sys import modules
from types import ModuleType

from . import packages
from .own_builtins import __builtins__  # noqa: F401
from .results import Limits

_MISSING = object()
_PLACES = (
    (vars(sys), "stdin stdout stderr __stdin__ __stdout__ __stderr__ displayhook excepthook"),
    (vars(builtins), "print __import__"),
    (vars(importlib), "import_module"),
    (vars(inspect), "getfile"),
    (modules, "__main__"),
)
# What an interpreter is set to, and how.
_SETTINGS = (
    (lambda: (sys.getswitchinterval(),), sys.setswitchinterval),
    (lambda: (sys.getrecursionlimit(),), sys.setrecursionlimit),
    (lambda: (sys.get_int_max_str_digits(),), sys.set_int_max_str_digits),
    (gc.get_threshold, gc.set_threshold),
    (lambda: (gc.isenabled(),), lambda enabled: gc.enable() if enabled else gc.disable()),
)
_OBJECTS = ((packages.Offer, "allows listed workspace"), (Limits, "max_text_bytes"))


class Lodging:
    """What is put in place while a session runs, or what was there before."""

    def __init__(self):
        self.values = [
            [place.get(name, _MISSING) for name in names.split()] for place, names in _PLACES
        ]
        self.attributes = [
            [vars(owner)[name] for name in names.split()] for owner, names in _OBJECTS
        ]
        self.finders = list(sys.meta_path)

    def exchange(self):
        """Put the kept values in place and keep those that were there."""
        now = Lodging()
        for (place, names), values in zip(_PLACES, self.values):
            for name, value in zip(names.split(), values):
                if value is not _MISSING:
                    place[name] = value
        for (owner, names), values in zip(_OBJECTS, self.attributes):
            for name, value in zip(names.split(), values):
                setattr(owner, name, value)
        sys.meta_path[:] = self.finders
        self.values, self.attributes, self.finders = now.values, now.attributes, now.finders


class Snapshot:
    """The modules and settings of an interpreter as they were before its first session."""

    def __init__(self):
        self.modules = dict(modules)
        self.contents = [
            (vars(module), dict(vars(module)))
            for name, module in self.modules.items()
            if type(module) is ModuleType and name.partition(".")[0] != "cellblock_runtime"
        ]
        lists = (sys.path, sys.meta_path, sys.path_hooks, warnings.filters)
        self.lists = [(found, list(found)) for found in lists]
        self.settings = [read() for read, _ in _SETTINGS]

    def restore(self):
        """Forget what the last session has left in modules; what it changed in classes stays."""
        atexit._clear()
        for current, original in self.contents:
            for name in current.keys() - original.keys():
                del current[name]
            current.update(original)
        modules.clear()
        modules.update(self.modules)
        for found, original in self.lists:
            found[:] = original
        for values, (_, change) in zip(self.settings, _SETTINGS):
            change(*values)
        sys.path_importer_cache.clear()
        gc.collect()


def enter(workspace, variables, is_shared):
    """The surroundings of a guest. The process's environment stays as it is: a guest with an
    interpreter of its own has variables of its own, that no C code sees.
    """
    if not is_shared:
        basics = {"LANG": "C.UTF-8", "TZ": "UTC"}
        os.environ = basics | (variables or {}) | {"HOME": workspace}
    if workspace not in sys.path:
        sys.path.insert(0, workspace)
