"""Values of any kind made into plain JSON values of bounded size.

The result holds only None, bool, int within 64 bits, finite float, str, list and dict with str
keys. Runs no user code but `tolist`/`item` of numpy values; what does not fit becomes text.
"""

from .own_builtins import __builtins__  # noqa: F401
from .text import ids_of, int_repr, type_name

_MAX_NODES = 100_000
_MAX_DEPTH = 40
_MAX_STRING = 1_000_000
_LISTS = ids_of(list, tuple, set, frozenset)


def plain(value):
    """A plain copy of `value`; raises ValueError when it is too large."""
    return _plain(value, 0, [_MAX_NODES])


def _plain(value, depth, budget):
    budget[0] -= 1
    if budget[0] < 0 or depth > _MAX_DEPTH:
        raise ValueError("the value is too large or too deep for JSON")
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        return value[:_MAX_STRING]
    if issubclass(kind, int):
        whole = int.__int__(value)
        return whole if -(2**63) <= whole < 2**63 else int_repr(whole, 10_000)
    if issubclass(kind, float):
        number = float.__float__(value)
        return number if number - number == 0 else None
    if kind is dict:
        return {_key(key): _plain(item, depth + 1, budget) for key, item in value.items()}
    if id(kind) in _LISTS:
        return [_plain(item, depth + 1, budget) for item in value]
    if kind.__module__ == "numpy" and hasattr(kind, "tolist"):
        return _plain(kind.tolist(value), depth + 1, budget)
    return f"<{type_name(kind)}>"


def _key(key):
    return key[:1000] if type(key) is str else str(_plain(key, 0, [100]))
