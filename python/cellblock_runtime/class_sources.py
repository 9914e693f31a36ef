"""inspect.getsource for classes that were defined in cells.

Python finds a class's source through the file of its module, and `__main__` has none. `install`
teaches inspect.getfile to answer with the cell; functions need no help.
"""

import inspect
import re
from types import FunctionType

from .own_builtins import __builtins__  # noqa: F401

_original_getfile = inspect.getfile


def install(lines):
    """`lines` is the compiler's {cell file name: linecache entry}, the newest last."""

    def getfile(value):
        """The file, or cell, in which an object was defined."""
        if inspect.isclass(value) and value.__module__ == "__main__":
            filename = _cell_of_method(value) or _cell_by_name(value.__name__, lines)
            if filename is not None:
                return filename
        return _original_getfile(value)

    inspect.getfile = getfile


def _cell_of_method(kind):
    for member in vars(kind).values():
        if type(member) is FunctionType and member.__code__.co_filename.startswith("<cell "):
            return member.__code__.co_filename
    return None


def _cell_by_name(name, lines):
    definition = re.compile(rf"\s*class\s+{re.escape(name)}\b")
    for filename, entry in reversed(lines.items()):
        if any(map(definition.match, entry[2])):
            return filename
    return None
