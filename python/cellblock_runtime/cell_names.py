"""The names whose values a cell's code can reach and so change, found in its code objects."""

from types import CodeType, FunctionType

from .own_builtins import __builtins__  # noqa: F401
from .text import ids_of

_MAX_CODES = 200
# Code that uses one of these may reach any name.
_REACH_ALL = frozenset(("eval", "exec", "globals", "locals", "vars", "__dict__", "modules"))
_class_module_of = type.__dict__["__module__"].__get__
_class_dict_of = type.__dict__["__dict__"].__get__


def reachable_names(codes, namespace):
    """The names that code objects use, with those of the functions and classes behind them.

    None: any name may be reached.
    """
    names, waiting, seen = {}, list(codes), set()
    while waiting and len(seen) < _MAX_CODES:
        code = waiting.pop()
        if id(code) in seen:
            continue
        seen.add(id(code))
        waiting += [one for one in code.co_consts if type(one) is CodeType]
        for name in code.co_names:
            if name in names:
                continue
            if name in _REACH_ALL:
                return None
            value = namespace.get(name, namespace)
            if value is not namespace:
                names[name] = None
                waiting += _codes_behind(value)
    return names


def _codes_behind(value):
    kind = type(value)
    if kind is FunctionType:
        return [value.__code__]
    if id(kind) in _HAVE_NO_CODE:
        return ()
    owner = value if issubclass(kind, type) else kind
    if _class_module_of(owner) != "__main__":
        return ()
    return [one.__code__ for one in _class_dict_of(owner).values() if type(one) is FunctionType]


_HAVE_NO_CODE = ids_of(int, float, bool, str, bytes, list, tuple, dict, set, type(None))
