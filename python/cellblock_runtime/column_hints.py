"""Hints about pandas: columns and row labels that are not there, accessors of another kind."""

import re

from .nearness import MAX_LISTED, either, listed, nearest
from .own_builtins import __builtins__  # noqa: F401
from .static import attribute, attribute_names, column_names, is_of_package
from .text import bounded_repr

_MOST_LABELS = 1000
_MOST_OF_A_LABEL = 60
_ACCESSORS = {
    "str": "not text: `.astype(str)` makes text of it",
    "dt": "not dates: `pd.to_datetime(…)` makes dates of it",
    "cat": 'no category: `.astype("category")` makes one of it',
}
_named = re.compile(r"'([^']+)'|: (.+)$").findall
_traceback_of = BaseException.__dict__["__traceback__"].__get__


def attribute_hint(owner, name):
    """What to do about an attribute that is not there."""
    if name in _ACCESSORS:
        if _is_pandas(owner, "Series") or _is_pandas(owner, "Index"):
            return f"The data is of dtype {owner.dtype}, {_ACCESSORS[name]}."
        if _is_pandas(owner, "DataFrame"):
            return f"`.{name}` is for one column; choose it first: df[column].{name}."
    names = attribute_names(owner)
    if name in names:
        return None  # something within it has failed
    near = nearest(name, sorted(names) + column_names(owner))
    return f"There is no `.{name}`; did you mean {either(f'.{n}' for n in near)}?" if near else None


def label_hint(error, key):
    """The columns or row labels among which pandas did not find `key`."""
    objects = _at_work(error)
    frames = [frame for frame in map(_frame_of, objects) if frame is not None]
    index = next((one for one in objects if _is_pandas(one, "Index")), None)
    if index is None or any(index.is_(frame.columns) for frame in frames):
        return columns_hint(frames[0], key) if frames else None
    if not any(index.is_(frame.index) for frame in frames):
        if any(index.equals(frame.columns) for frame in frames):
            return columns_hint(frames[0], key)
    return _rows_hint(index, key, frames)


def columns_hint(frame, key):
    """The columns of a frame, and which of them `key` may have meant."""
    columns = frame.columns[:_MOST_LABELS].tolist()
    text = f"The columns are: {_shown(columns, len(frame.columns))}."
    return text + _meant(key, columns)


def query_hint(error, name):
    """The columns of the frame whose query() or eval() does not know a name, or None."""
    frames = [frame for frame in map(_frame_of, _at_work(error)) if frame is not None]
    return columns_hint(frames[0], name) if frames else None


def _rows_hint(index, key, frames):
    if not len(index):
        return f"There are no {'rows' if frames else 'values'}."
    if type(key) is str and any(key in column_names(frame) for frame in frames):
        return f"There is no row {key!r}, but a column: df[{key!r}], or df.loc[:, {key!r}]."
    labels = index[:_MOST_LABELS].tolist()
    what = "row labels" if frames else "labels"
    return f"The {what} are: {_shown(labels, len(index))}.{_meant(key, labels)}"


def _shown(labels, count):
    return listed([bounded_repr(label, _MOST_OF_A_LABEL) for label in labels[:MAX_LISTED]], count)


def _meant(key, labels):
    """Which label was meant; `key` may be pandas' sentence about the missing ones."""
    names = [key] if type(key) is not str else [key, *map("".join, _named(key)[:5])]
    for name in names:
        near = nearest(name, labels)
        if near:
            return f" Did you mean {near[0]!r}?"
    return ""


def _at_work(error):
    """The objects whose methods in pandas led to an error, innermost first; not before a cell's."""
    found, traceback = [], _traceback_of(error)
    while traceback is not None:
        frame = traceback.tb_frame
        filename = frame.f_code.co_filename
        if filename.startswith("<cell "):
            found.clear()
        elif "pandas" in filename and frame.f_code.co_argcount:
            found.append(frame.f_locals.get("self"))
        traceback = traceback.tb_next
    return found[::-1]


def _frame_of(value):
    """A DataFrame, or the one that a helper object of pandas is about; else None."""
    for _ in range(3):
        if _is_pandas(value, "DataFrame"):
            return value
        if _is_pandas(value, "NDFrameIndexerBase"):  # .loc and .at, which keep it in C
            value = value.obj
        else:
            value = attribute(value, "obj")
    return None


def _is_pandas(value, name):
    """Whether a value is of a class of pandas with this name, or of one derived from it."""
    kinds = type.__dict__["__mro__"].__get__(type(value))
    return any(kind.__name__ == name and is_of_package(kind, "pandas") for kind in kinds)
