"""Hints about names that are not defined, and about a shell's commands that were taken for them."""

import builtins
import re
import sys

from . import packages
from .column_hints import query_hint
from .dialect import kind_of_command
from .nearness import either, nearest
from .own_builtins import __builtins__  # noqa: F401
from .tracebacks import innermost_filename, innermost_source_line, value_text

_builtin_names = tuple(vars(builtins))


def no_command(kind):
    """What to do instead of a command of a shell; `kind` is "install" or "shell"."""
    if kind == "install":
        return f"Packages cannot be installed here; {packages.what_there_is()}."
    return "There is no shell here; use Python instead (pathlib, shutil, open, print)."


def name_hint(error, session):
    """What to do about a name that is not defined."""
    if issubclass(type(error), UnboundLocalError):
        return _unbound_local(error, session)
    name = error.name
    if name is None:
        # pandas' own kind, of query() and eval(): "name 'x' is not defined".
        found = _undefined_in_query(value_text(error))
        if found is None:
            return None
        name = found[2]
        if found[1] == "name":
            return query_hint(error, name)
    if name in session.namespace:
        return None
    if "free variable" in value_text(error):
        return f"`{name}` has no value yet where the inner function is called: assign it before."
    line = _line_of_cell(error)
    if line.split()[:1] == [name] and kind_of_command(line):
        return no_command(kind_of_command(line))
    near = nearest(name, list(session.namespace) + list(_builtin_names))
    if near:
        return f"`{name}` is not defined; did you mean {either(near)}?"
    statement = packages.USUAL_ALIASES.get(name, f"import {name}")
    module = statement.split()[1]
    if name in packages.USUAL_ALIASES or name in sys.stdlib_module_names:
        if packages.is_installed(module) and packages.Offer.allows(module):
            return f"`{name}` is not defined; write `{statement}` first."
    if not line:
        return None
    if not session.cells_run:
        return (
            f"`{name}` is not defined: this session has just begun and has nothing from before; "
            "define it in this cell."
        )
    return f"`{name}` is not defined; run the code that defines it first, state is kept."


_undefined_in_query = re.compile("(local variable|name) '(.+)' is not defined").fullmatch


def _unbound_local(error, session):
    found = _unbound(value_text(error))
    if found is None:
        return None
    name = found[1]
    way = f" or say `global {name}`" if name in session.namespace else ""
    return (
        f"`{name}` is assigned somewhere in the function, which makes it the function's own: give "
        f"it a value before it is used{way}."
    )


_unbound = re.compile(r".*local variable '(\w+)'.*").fullmatch


def _line_of_cell(error):
    """The line of a cell that an error comes from, "" for one of a module or a library."""
    if error.name is not None and not innermost_filename(error).startswith("<cell "):
        return ""
    place = innermost_source_line(error)
    return place[2] if place is not None and place[0].startswith("<cell ") else ""
