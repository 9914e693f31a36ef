"""The operator's own helpers: a module whose public functions every session starts with."""

import inspect
import linecache
import types
from sys import modules

from . import helpers
from .own_builtins import __builtins__  # noqa: F401

MODULE = "cellblock_helpers"
_MAX_DOC = 200
_BUILTINS = frozenset(__builtins__)


class WrongHelpers(Exception):
    """The module cannot be used; its text is one sentence that says what to do."""


def load(path, source):
    """Run the module and add its public functions and classes to what sessions start with.

    Public is what `__all__` names, else what is defined there without an underscore. A name that
    sessions have already, or that is one of Python's own, is refused.
    """
    module = types.ModuleType(MODULE)
    module.__file__ = path
    modules[MODULE] = module
    lines = [line + "\n" for line in source.split("\n")]
    linecache.cache[path] = (len(source), None, lines, path)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))
    except BaseException as error:
        kind = type(error).__name__
        raise WrongHelpers(f"the helpers in {path} cannot be loaded ({kind}: {error})") from None
    found = _public(module)
    for name in found:
        if name in helpers.STARTERS or name in _BUILTINS:
            raise WrongHelpers(
                f"the helpers in {path} define {name}, which every session has already: "
                "give it another name"
            )
    helpers.STARTERS.update(found)


def listed():
    """[{name, signature, doc}] of everything that sessions start with."""
    return [
        {"name": name, "signature": _signature(function), "doc": _first_line(function)}
        for name, function in helpers.STARTERS.items()
    ]


def _public(module):
    names = vars(module)
    chosen = names.get("__all__")
    if chosen is not None:
        missing = [name for name in chosen if name not in names]
        if missing:
            raise WrongHelpers(
                f"__all__ in {module.__file__} names {missing[0]}, which is not there"
            )
        return {name: names[name] for name in chosen}
    return {
        name: value
        for name, value in names.items()
        if not name.startswith("_")
        and isinstance(value, (types.FunctionType, type))
        and value.__module__ == MODULE
    }


def _signature(function):
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(...)" if callable(function) else ""


def _first_line(function):
    text = inspect.getdoc(function) if callable(function) else ""
    return (text or "").partition("\n")[0][:_MAX_DOC]
