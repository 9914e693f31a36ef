"""What is known of the name at a cursor: type, signature, docstring, as text and as parts."""

import inspect as standard_inspect
import re
from types import ModuleType

from .completion import resolve
from .interrupts import attempt
from .own_builtins import __builtins__  # noqa: F401
from .static import MISSING, attribute
from .text import cut, type_name
from .value_kinds import DEFAULT, KINDS, know_loaded_packages

_BEFORE = re.compile(r"[^\W\d][\w.]*$")
_AFTER = re.compile(r"^\w*")
_MAX_TEXT = 8 * 1024
_MAX_SIGNATURE = 1024
_MAX_LOOKBACK = 4000


def inspect(code, cursor, session):
    """The reply dict; `found` is False when there is no such name."""
    cursor = max(0, min(cursor, len(code)))
    name = _name_at(code, cursor)
    value = resolve(name, session.namespace) if name else MISSING
    if value is MISSING:
        return {
            "found": False,
            "text": "",
            "name": name,
            "type": None,
            "signature": None,
            "docstring": None,
        }
    signature, _ = attempt(_signature, value)
    docstring = _docstring(value)
    lines = [f"{name}{signature}" if signature else f"{name}: {_summary(value)}"]
    if docstring:
        lines += ["", docstring]
    return {
        "found": True,
        "text": cut("\n".join(lines), _MAX_TEXT),
        "name": name,
        "type": type_name(type(value)),
        "signature": signature,
        "docstring": docstring,
    }


def _name_at(code, cursor):
    """The dotted name around the cursor, or of the call that the cursor is in."""
    start = max(0, cursor - _MAX_LOOKBACK)
    before = code[start:cursor]
    found = _BEFORE.search(before)
    if found:
        return found[0] + _AFTER.match(code[cursor:])[0]
    after = _AFTER.match(code[cursor:])[0]
    if after.isidentifier() and not before.endswith("."):
        return after
    depth = 0
    for position in range(len(before) - 1, -1, -1):
        if before[position] == ")":
            depth += 1
        elif before[position] == "(":
            depth -= 1
            if depth < 0:
                found = _BEFORE.search(before[:position])
                return found[0] if found else None
    return None


def _signature(value):
    if not callable(value):
        return None
    return cut(str(standard_inspect.signature(value)), _MAX_SIGNATURE)


def _docstring(value):
    """The docstring of what can be called or of a module; a plain value has none of its own."""
    if not callable(value) and not issubclass(type(value), ModuleType):
        return None
    text = attribute(value, "__doc__")
    if type(text) is not str:
        text = getattr(value, "__doc__", None)
    return cut(standard_inspect.cleandoc(text), _MAX_TEXT) if type(text) is str else None


def _summary(value):
    know_loaded_packages()
    describer = KINDS.get(id(type(value)), DEFAULT)
    return describer.summary(value, describer.structure(value))
