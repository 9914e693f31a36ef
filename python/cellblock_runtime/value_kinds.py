"""How a value of each kind is stamped, summarised and compared, without running user code.

A describer has four functions: `stamp(value)` is equal as long as nothing worth telling has
changed, `structure(value)` is what `detail` needs later, `summary(value, structure)` stands after
"name: ", and `detail(old, new, old_stamp, new_stamp)` says what changed (None: nothing).
"""

import collections
from sys import modules
import types

from .own_builtins import __builtins__  # noqa: F401
from . import contents
from .text import cut, ids_of, int_repr, type_name
from .value_kinds_pandas import numpy_describers, pandas_describers
from .value_kinds_tables import arrow_describers, polars_describers

_SHORT = 40
_class_module_of = type.__dict__["__module__"].__get__


class Describer:
    """The four functions for one kind of value."""

    __slots__ = ("stamp", "structure", "summary", "detail")

    def __init__(self, stamp, structure, summary, detail):
        self.stamp = stamp
        self.structure = structure
        self.summary = summary
        self.detail = detail


def _nothing(value):
    return None


def _new_value(old, new, old_stamp, new_stamp):
    return "new value"


def _name_summary(value, structure):
    return type_name(type(value))


DEFAULT = Describer(id, _nothing, _name_summary, _new_value)


def _scalar_stamp(value):
    return value


def _scalar_structure(value):
    if type(value) is int:
        return int_repr(value, _SHORT)
    return repr(value)


def _scalar_summary(value, structure):
    return f"{type(value).__name__} = {structure}"


def _scalar_detail(old, new, old_stamp, new_stamp):
    return f"{old} → {new}"


_SCALAR = Describer(_scalar_stamp, _scalar_structure, _scalar_summary, _scalar_detail)


def _text_stamp(value):
    return value if len(value) <= 200 else (id(value), len(value))


def _text_structure(value):
    return (len(value), repr(value) if len(value) <= _SHORT else None)


def _text_summary(value, structure):
    length, shown = structure
    name = type(value).__name__
    return f"{name}({length})" if shown is None else f"{name}({length}) = {cut(shown, 200)}"


def _text_detail(old, new, old_stamp, new_stamp):
    if old[1] is not None and new[1] is not None:
        return f"{old[1]} → {new[1]}"
    return f"{old[0]} → {new[0]} long" if old[0] != new[0] else "new value, same length"


_TEXT = Describer(_text_stamp, _text_structure, _text_summary, _text_detail)


def _sized_stamp(value):
    return (id(value), len(value))


def _sized_summary(value, structure):
    return f"{type(value).__name__}({structure})"


def _sized_detail(old, new, old_stamp, new_stamp):
    return f"{old} → {new} items" if old != new else f"new value, {new} items"


_SIZED = Describer(_sized_stamp, len, _sized_summary, _sized_detail)


def _function_structure(value):
    code = value.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:count])
    rest = iter(code.co_varnames[count:])
    if code.co_flags & 0x04:
        names.insert(code.co_argcount, "*" + next(rest))
    elif code.co_kwonlyargcount:
        names.insert(code.co_argcount, "*")
    if code.co_flags & 0x08:
        names.append("**" + next(rest))
    return cut(f"function({', '.join(names)})", 300)


def _function_summary(value, structure):
    return structure


def _function_detail(old, new, old_stamp, new_stamp):
    return "redefined" if old == new else f"redefined, {old} → {new}"


_FUNCTION = Describer(id, _function_structure, _function_summary, _function_detail)


def _class_summary(value, structure):
    return f"class {type_name(value)}"


def _redefined(old, new, old_stamp, new_stamp):
    return "redefined"


_CLASS = Describer(id, _nothing, _class_summary, _redefined)

KINDS = {  # by the type's id
    **dict.fromkeys(ids_of(int, float, bool, complex, type(None)), _SCALAR),
    **dict.fromkeys(ids_of(str, bytes), _TEXT),
    **dict.fromkeys(ids_of(bytearray, list, tuple, dict, set, frozenset, range), _SIZED),
    **dict.fromkeys(ids_of(collections.deque, collections.defaultdict), _SIZED),
    **dict.fromkeys(ids_of(collections.Counter, collections.OrderedDict), _SIZED),
    id(types.FunctionType): _FUNCTION,
    id(type): _CLASS,
}
_FUNCTIONS = ids_of(types.FunctionType, types.BuiltinFunctionType)
_learned = []  # those of packages, which must live for their id to be theirs


def is_hidden(value):
    """Whether a value is no variable: a module, or something that was only imported."""
    kind = type(value)
    if issubclass(kind, types.ModuleType):
        return True
    if id(kind) in _FUNCTIONS:
        return value.__module__ != "__main__"
    if issubclass(kind, type):
        return _class_module_of(value) != "__main__"
    return _class_module_of(kind) in ("typing", "__future__") or type_name(kind) == "ufunc"


def can_change_in_place(kind):
    """Whether values of a described kind can change without being bound anew."""
    return id(kind) in KINDS and id(kind) not in _FIXED


_FIXED = ids_of(int, float, bool, complex, type(None), str, bytes, tuple, frozenset, range)
_FIXED |= ids_of(types.FunctionType, type)


def know_loaded_packages():
    """Learn the exact types of numpy and pandas once they are loaded."""
    if _unknown:
        for package, describers in list(_unknown.items()):
            module = modules.get(package)
            if module is not None:
                _learn(package, module, describers)


def _learn(package, module, describers):
    """Add a package's types; it may still be in the middle of its import, or a user's fake."""
    try:
        found = describers(module)
    except Exception:
        return
    del _unknown[package]
    for kind, functions in found.items():
        KINDS[id(kind)] = Describer(*functions)
        _learned.append(kind)
    if package == "numpy":
        contents.MARKERS[id(module.ndarray)] = contents.array_mark
    elif package == "pandas":
        contents.MARKERS[id(module.DataFrame)] = contents.frame_mark
        contents.MARKERS[id(module.Series)] = contents.frame_mark


_unknown = {
    "numpy": numpy_describers,
    "pandas": pandas_describers,
    "polars": polars_describers,
    "pyarrow": arrow_describers,
}
