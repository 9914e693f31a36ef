"""The standard library as it was before user code ran, for as long as the machinery needs it.

Our own modules keep their references (see own_builtins), but the standard modules that they call
look names up in the shared `builtins` and in each other, where a user may have replaced any of
them. `with Pristine():` puts the original names back and afterwards returns what the user had.
Used on slow paths only (errors, tables, completion); a look costs about ten microseconds.
"""

import ast
import builtins
import codeop
import inspect
import linecache
import re
import sys
import textwrap
import tokenize
import traceback
from operator import is_not

from .own_builtins import __builtins__  # noqa: F401

_KEPT = ["displayhook", "excepthook", "getrecursionlimit", "_getframe", "exc_info", "modules"]
_MODULES = (builtins, ast, codeop, inspect, linecache, re, textwrap, tokenize, traceback)
_ORIGINALS = [(vars(module), dict(vars(module))) for module in _MODULES]
_ORIGINALS.append((vars(sys), {name: vars(sys)[name] for name in _KEPT}))
# Some of them import each other when they are called: traceback of CPython 3.13 imports ast.
_ORIGINALS.append((sys.modules, {module.__name__: module for module in (*_MODULES, sys)}))


def keep(module, name):
    """Count what `module` has under `name` now as original."""
    for current, original in _ORIGINALS:
        if current is vars(module):
            original[name] = current[name]


class Pristine:
    """Context manager; may be nested; runs no user code."""

    __slots__ = ("users",)

    def __enter__(self):
        self.users = []
        for current, original in _ORIGINALS:
            if any(map(is_not, map(current.get, original), original.values())):
                self.users.append((current, original, dict(current)))
                current.update(original)
        return self

    def __exit__(self, *exception):
        for current, original, users in self.users:
            for name in original:
                if name in users:
                    current[name] = users[name]
                else:
                    current.pop(name, None)
        return False
