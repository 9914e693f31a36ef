"""Describers for the exact types of numpy and pandas (see value_kinds).

numpy's attributes are C descriptors of immutable types. Of pandas objects only the block manager
is asked, found in the instance's own dictionary, so nothing that a user put on the class runs.
"""

from .own_builtins import __builtins__  # noqa: F401

_MAX_COLUMNS = 200
_getattribute = object.__getattribute__


def numpy_describers(numpy):
    """{type: (stamp, structure, summary, detail)} for arrays and numpy's scalars."""
    found = {numpy.ndarray: (_array_stamp, _array_structure, _array_summary, _array_detail)}
    for name in ("float64", "float32", "int64", "int32", "bool_"):
        found[getattr(numpy, name)] = (_item_stamp, _item_text, _item_summary, _item_detail)
    return found


def _array_stamp(value):
    return (id(value), value.shape, value.dtype)


def _array_structure(value):
    return (value.shape, str(value.dtype))


def _array_summary(value, structure):
    shape = ", ".join(map(str, structure[0]))
    return f"ndarray({shape}) {structure[1]}"


def _array_detail(old, new, old_stamp, new_stamp):
    parts = []
    if old[0] != new[0]:
        parts.append(f"shape {old[0]} → {new[0]}")
    if old[1] != new[1]:
        parts.append(f"{old[1]} → {new[1]}")
    return ", ".join(parts) or "new value, same shape"


def _item_stamp(value):
    return value.item()


def _item_text(value):
    return repr(value.item())


def _item_summary(value, structure):
    return f"{type(value).__name__} = {structure}"


def _item_detail(old, new, old_stamp, new_stamp):
    return f"{old} → {new}"


def pandas_describers(pandas):
    """The same for DataFrame, Series and the usual indexes."""
    frame = (_frame_stamp, _frame_structure, _frame_summary, frame_detail)
    series = (_frame_stamp, _series_structure, _series_summary, series_detail)
    index = (id, _index_structure, _index_summary, _index_detail)
    kinds = (pandas.Index, pandas.RangeIndex, pandas.DatetimeIndex, pandas.MultiIndex)
    found = {pandas.DataFrame: frame, pandas.Series: series}
    found.update(dict.fromkeys(kinds, index))
    return found


def _manager(value):
    return _getattribute(value, "__dict__")["_mgr"]


def _frame_stamp(value):
    """Identities of the axes and blocks: they differ after every change of structure."""
    try:
        manager = _manager(value)
        return (id(value), list(map(id, manager.axes)), list(map(id, manager.blocks)))
    except Exception:
        return id(value)


def _frame_structure(value):
    """(rows, columns, {name: dtype} of the first columns)."""
    try:
        manager = _manager(value)
        columns, index = manager.axes
        names = columns[:_MAX_COLUMNS].tolist()
        dtypes = dict(zip(map(_short, names), map(str, manager.get_dtypes()[:_MAX_COLUMNS])))
        return len(index), len(columns), dtypes
    except Exception:
        return None


def _short(name):
    return str(name)[:80] if type(name) in (str, int, float, tuple, bool) else type(name).__name__


def _frame_summary(value, structure):
    return "DataFrame" if structure is None else f"DataFrame({structure[0]}, {structure[1]})"


def frame_detail(old, new, old_stamp, new_stamp):
    if old is None or new is None:
        return "new value"
    parts = []
    lost = [name for name in old[2] if name not in new[2]]
    gained = [name for name in new[2] if name not in old[2]]
    if lost:
        parts.append(_columns("lost", lost))
    if gained:
        parts.append(_columns("new", gained))
    if old[0] != new[0]:
        parts.append(f"{old[0]} → {new[0]} rows")
    retyped = [name for name in new[2] if old[2].get(name, new[2][name]) != new[2][name]]
    parts += [f"{name}: {old[2][name]} → {new[2][name]}" for name in retyped[:10]]
    if not parts and old_stamp[0] != new_stamp[0]:
        parts.append("new value, same shape")
    return ", ".join(parts) or None


def _columns(verb, names):
    plural = "s" if len(names) > 1 else ""
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"{verb} column{plural} {', '.join(names[:10])}{more}"


def _series_structure(value):
    try:
        manager = _manager(value)
        return len(manager.axes[0]), str(manager.blocks[0].dtype)
    except Exception:
        return None


def _series_summary(value, structure):
    return "Series" if structure is None else f"Series({structure[0]}) {structure[1]}"


def series_detail(old, new, old_stamp, new_stamp):
    if old is None or new is None:
        return "new value"
    parts = [f"{old[0]} → {new[0]} rows"] if old[0] != new[0] else []
    if old[1] != new[1]:
        parts.append(f"{old[1]} → {new[1]}")
    if not parts and old_stamp[0] != new_stamp[0]:
        parts.append("new value, same length")
    return ", ".join(parts) or None


def _index_structure(value):
    return len(value)


def _index_summary(value, structure):
    return f"{type(value).__name__}({structure})"


def _index_detail(old, new, old_stamp, new_stamp):
    return f"{old} → {new} items" if old != new else f"new value, {new} items"
