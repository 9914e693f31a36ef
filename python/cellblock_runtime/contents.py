"""Marks of a value's contents, by sampling: equal marks mean that nothing seen has changed.

No user code runs: only exact builtin and numpy types are looked into, pandas objects through their
block manager; of anything else the identity counts.
"""

from itertools import islice
from types import GetSetDescriptorType

from .own_builtins import __builtins__  # noqa: F401
from .static import is_of_package
from .text import ids_of

_SAMPLED = 64
_MAX_DEPTH = 3
_MAX_NODES = 1000
_MAX_COLUMNS = 100
_WHOLE_BYTES = 65_536
_SAMPLED_ITEMS = 1024
_LONG = 200
_NUMBERS = ids_of(int, bool, complex, type(None))
_mro_of = type.__dict__["__mro__"].__get__
_class_dict_of = type.__dict__["__dict__"].__get__
_getattribute = object.__getattribute__


def mark_of(value):
    """The mark of a value's contents; None when its kind has no contents to change."""
    marker = MARKERS.get(id(type(value)))
    return marker(value, [_MAX_NODES], 0) if marker is not None else None


def _mark(value, budget, depth):
    kind = type(value)
    if id(kind) in _NUMBERS:
        return value
    if kind is float:
        return value if value == value else "nan"
    if kind is str or kind is bytes:
        return value if len(value) <= _LONG else (id(value), len(value))
    budget[0] -= 1
    marker = MARKERS.get(id(kind))
    if marker is None or budget[0] < 0 or depth >= _MAX_DEPTH:
        return id(value)
    return (id(value), marker(value, budget, depth + 1))


def _marks(items, budget, depth):
    return [(id(type(item)), _mark(item, budget, depth)) for item in items]


def _sequence_mark(value, budget, depth):
    length = len(value)
    if length <= _SAMPLED:
        return _marks(value, budget, depth)
    places = [number * (length - 1) // (_SAMPLED - 1) for number in range(_SAMPLED)]
    return [length, _marks([value[place] for place in places], budget, depth)]


def _ends(items, length):
    """The first and the last items of what can only be walked from its ends."""
    if length <= _SAMPLED:
        return list(items)
    return list(islice(items, _SAMPLED // 2)) + list(islice(reversed(items), _SAMPLED // 2))


def _dict_mark(value, budget, depth):
    keys, items = _ends(value.keys(), len(value)), _ends(value.values(), len(value))
    return [len(value), _marks(keys, budget, depth), _marks(items, budget, depth)]


def _set_mark(value, budget, depth):
    return [len(value), _marks(list(islice(value, _SAMPLED)), budget, depth)]


def _deque_mark(value, budget, depth):
    return [len(value), _marks(_ends(value, len(value)), budget, depth)]


def _bytes_mark(value, budget, depth):
    return hash(bytes(value[:_WHOLE_BYTES]))


MARKERS = {  # by the type's id
    id(list): _sequence_mark,
    id(tuple): _sequence_mark,
    id(dict): _dict_mark,
    id(set): _set_mark,
    id(bytearray): _bytes_mark,
}


def array_mark(array, budget=None, depth=0):
    """The mark of a numpy array: all of a small one, evenly chosen items of a large one."""
    if array.nbytes <= _WHOLE_BYTES:
        return hash(array.tobytes())
    size = array.size
    first, last = array.flat[:32], array.flat[size - 32 :]
    chosen = array.flat[:: max(size // _SAMPLED_ITEMS, 1)]
    return hash(first.tobytes() + chosen.tobytes() + last.tobytes())


def frame_mark(frame, budget=None, depth=0):
    """[the mark of each column] of a pandas DataFrame or Series; None where it cannot be told."""
    try:
        manager = _getattribute(frame, "__dict__")["_mgr"]
        marks = {}
        for block in manager.blocks:
            places = block.mgr_locs.as_array[:_MAX_COLUMNS].tolist()
            for place, values in zip(places, _columns(block.values)):
                marks[place] = values
        return marks
    except Exception:
        return None


def _columns(values):
    """The mark of each column of a block."""
    if type(values).__module__ == "numpy":
        if values.ndim == 1:
            return [array_mark(values)]
        return [array_mark(row) for row in values[:_MAX_COLUMNS]]
    if not is_of_package(type(values), "pandas"):
        return [id(values)]
    parts = [part for part in _arrays(values) if type(part).__module__ == "numpy"]
    rows = parts[0].shape[0] if parts and parts[0].ndim == 2 else None
    if rows is None:
        return [tuple(map(array_mark, parts))]
    return [tuple(array_mark(part[row]) for part in parts) for row in range(min(rows, 100))]


def _arrays(values):
    """The arrays that one of pandas' own extension arrays keeps its values in."""
    for kind in _mro_of(type(values)):
        slot = _class_dict_of(kind).get("_ndarray")
        if type(slot) is GetSetDescriptorType:
            return [slot.__get__(values)]
    own = _getattribute(values, "__dict__")
    names = ("_ndarray", "_data", "_mask")
    return [own[name] for name in names if name in own]
