"""Completions at a cursor, found without running user code (see static)."""

import builtins
import keyword
import os
import pkgutil
import re
from sys import modules

from . import packages
from .own_builtins import __builtins__  # noqa: F401
from .static import MISSING, attribute, attribute_names, column_names, instance_dict

MAX_MATCHES = 500
_DOTTED = re.compile(r"((?:[^\W\d]\w*\s*\.\s*)*)([^\W\d]\w*)?$")
_IMPORT = re.compile(r"^\s*(?:import|from)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*([\w.]*)$")
_FROM_IMPORT = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+\(?(?:[\w\s,]+,\s*)?(\w*)$")
_KEY = re.compile(r"([^\W\d][\w.]*)\[\s*(['\"])([^'\"\n]*)$")
_MAX_LOOKBACK = 2000


def complete(code, cursor, session):
    """{matches, start, end}: each match is to replace code[start:end]."""
    cursor = max(0, min(cursor, len(code)))
    start = max(0, cursor - _MAX_LOOKBACK)
    line = code[start:cursor].rpartition("\n")[2]
    matches, prefix = _matches(line, session)
    matches = [text for text in matches if text.startswith(prefix)][:MAX_MATCHES]
    return {"matches": matches, "start": cursor - len(prefix), "end": cursor}


def resolve(path, namespace):
    """The value of a dotted name as far as it is plainly stored, else MISSING."""
    first, *rest = [part.strip() for part in path.split(".")]
    value = namespace.get(first, MISSING)
    if value is MISSING:
        value = vars(builtins).get(first, MISSING)
    for name in rest:
        if value is MISSING:
            break
        value = _member(value, name)
    return value


def _member(value, name):
    if name in column_names(value) and "_item_cache" in instance_dict(value):
        return value[name]
    return attribute(value, name)


def _matches(line, session):
    if line.lstrip().startswith(("import ", "from ")):
        found = _FROM_IMPORT.match(line)
        if found:
            return _module_members(found[1]), found[2]
        found = _IMPORT.match(line)
        if found:
            return _module_names(found[1], session.config.get("allowed_imports")), found[1]
    found = _KEY.search(line)
    if found:
        return _keys(resolve(found[1], session.namespace)), found[3]
    found = _DOTTED.search(line)
    path, prefix = found[1].rstrip().rstrip("."), found[2] or ""
    before = line[: found.start()].rstrip()
    if before.endswith(".") or _is_in_string(before):
        return [], prefix
    if not path:
        return _names(session.namespace, prefix), prefix
    value = resolve(path, session.namespace)
    if value is MISSING:
        return [], prefix
    columns = [name for name in column_names(value) if name.isidentifier()]
    return _ordered(attribute_names(value) | set(columns), prefix), prefix


def _is_in_string(text):
    return text.count("'") % 2 == 1 or text.count('"') % 2 == 1


def _names(namespace, prefix):
    own = {name for name in namespace if type(name) is str}
    return _ordered(own | set(vars(builtins)) | set(keyword.kwlist), prefix)


def _ordered(names, prefix):
    """Public names first; private ones only when they are asked for."""
    wanted = [name for name in names if prefix[:1] == "_" or name[:1] != "_"]
    return sorted((name for name in wanted if name.startswith(prefix)), key=str.lower)


def _keys(value):
    if type(value) is dict:
        return [key for key in list(value)[:5000] if type(key) is str]
    return column_names(value) if value is not MISSING else []


def _module_names(prefix, allowed):
    parent, dot, _ = prefix.rpartition(".")
    if not dot:
        return sorted(allowed) if allowed is not None else packages.importable_names()
    loaded = [name for name in list(modules) if name.startswith(parent + ".")]
    inside = [f"{parent}.{name}" for name in _submodules(parent)]
    depth = prefix.count(".")
    return sorted({name for name in loaded + inside if name.count(".") == depth})


def _module_members(name):
    module = modules.get(name)
    names = attribute_names(module) if module is not None else set()
    return sorted(text for text in names | set(_submodules(name)) if not text.startswith("_"))


def _submodules(name):
    module = modules.get(name)
    paths = instance_dict(module).get("__path__") if module is not None else None
    if paths is None:
        return []
    folders = [path for path in list(paths) if type(path) is str and os.path.isdir(path)]
    return [found.name for found in pkgutil.iter_modules(folders)]
