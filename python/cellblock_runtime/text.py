"""Text of bounded size: reprs that stop early, and long text with its middle left out."""

from itertools import islice
from sys import get_int_max_str_digits, set_int_max_str_digits

from .own_builtins import __builtins__  # noqa: F401

_BITS_PER_DIGIT = 3.33
_MAX_DEPTH = 60
_WHOLE = 4000  # characters; a container that needs more is told by its head
_BEGIN = 1500
_NOTE = 60  # bytes that the note of what was left out may take


def ids_of(*kinds):
    """For looking a type up by identity: a user's metaclass may define `__eq__` and `__hash__`."""
    return frozenset(map(id, kinds))


_CONTAINERS = ids_of(list, tuple, dict, set, frozenset)
_PLAIN = ids_of(bool, float, complex, type(None), type(Ellipsis))


def type_name(kind):
    """The name of a type, without asking its metaclass."""
    return _name_of(kind)


_name_of = type.__dict__["__name__"].__get__


def cut(text, limit):
    """At most `limit` bytes of UTF-8: the head, a note of what was left out, the tail."""
    if len(text) * 4 <= limit:
        return text
    if len(text) <= limit and _byte_size(text) <= limit:
        return text
    room = max(limit - _NOTE, 0)
    head, tail = room * 3 // 4, room // 4
    first = text[:head].encode("utf-8", "replace")[:head].decode("utf-8", "ignore")
    last = text[-tail:].encode("utf-8", "replace")[-tail:].decode("utf-8", "ignore") if tail else ""
    omitted = len(text) - len(first) - len(last)
    return f"{first}\n… [{omitted:,} characters left out] …\n{last}"


def bounded_repr(value, limit):
    """repr(value), exact while it fits into about `limit` characters.

    Exact builtin containers, strings and numbers are never built longer than they are shown. For
    other types this calls their `__repr__`, so it may raise whatever that raises.
    """
    kind = type(value)
    if id(kind) in _PLAIN:
        return repr(value)
    writer = _Writer(limit)
    writer.write(value, 0)
    return "".join(writer.parts)


def headed_repr(value, limit):
    """A long builtin container as its type, length and first items; None for anything else."""
    kind = type(value)
    if id(kind) not in _CONTAINERS:
        return None
    writer = _Writer(min(limit, _WHOLE))
    writer.write(value, 0)
    if writer.left > 0:
        return "".join(writer.parts)
    return f"{kind.__name__}({len(value):,}){_item_kinds(value)}: {bounded_repr(value, _BEGIN)}"


def _item_kinds(value):
    """The types of the first items: " of int", " of str to list"."""
    first = list(islice(value, 100))
    if type(value) is dict:
        return f" of {_one_kind(first)} to {_one_kind([value[key] for key in first])}"
    return f" of {_one_kind(first)}"


def _one_kind(items):
    names = list(dict.fromkeys(type_name(type(item)) for item in items))
    return " and ".join(names) if len(names) <= 3 else "mixed items"


def int_repr(value, limit):
    """All digits of an int if they fit into `limit`, else its size."""
    bits = value.bit_length()
    if bits > limit * _BITS_PER_DIGIT:
        return f"<int of {bits:,} bits>"
    allowed = get_int_max_str_digits()
    if not allowed or bits < allowed * 3:
        return repr(value)
    set_int_max_str_digits(0)
    try:
        return repr(value)
    finally:
        set_int_max_str_digits(allowed)


def _sequence_repr(value, limit):
    """A str, bytes or bytearray; the middle of a long one is left out and counted."""
    if len(value) <= limit:
        whole = repr(value)
        if len(whole) * 4 <= limit or _byte_size(whole) <= limit:
            return whole
    room = max(limit - _NOTE, 8)
    head, head_length = _piece(value, room * 3 // 4, slice_of=lambda count: value[:count])
    tail, tail_length = _piece(value, room // 4, slice_of=lambda count: value[-count:])
    unit = "characters" if type(value) is str else "bytes"
    omitted = len(value) - head_length - tail_length
    return f"{head} … [{omitted:,} {unit} left out] … {tail}"


def _piece(value, room, slice_of):
    """(repr of a piece that takes at most about `room` bytes, how long the piece is)."""
    count = min(len(value), max(room, 1))
    while True:
        shown = repr(slice_of(count))
        size = _byte_size(shown)
        if size <= room or count == 1:
            return shown, count
        count = max(count * room // size, 1)


def _byte_size(text):
    return len(text.encode("utf-8", "surrogatepass"))


class _Writer:
    """Writes a repr piece by piece until its budget is spent."""

    def __init__(self, limit):
        self.parts = []
        self.left = limit
        self.limit = limit
        self.open_ids = set()

    def put(self, piece):
        self.parts.append(piece)
        self.left -= len(piece)

    def write(self, value, depth):
        kind = type(value)
        if id(kind) in _PLAIN:
            self.put(repr(value))
        elif kind is int:
            self.put(int_repr(value, self.limit))
        elif kind is str or kind is bytes or kind is bytearray:
            self.put(_sequence_repr(value, max(self.left, 20)))
        elif kind is list:
            self.write_items("[", value, "]", depth)
        elif kind is tuple:
            self.write_items("(", value, ",)" if len(value) == 1 else ")", depth)
        elif kind is dict:
            self.write_items("{", value, "}", depth)
        elif kind is set and value:
            self.write_items("{", value, "}", depth)
        elif kind is frozenset and value:
            self.write_items("frozenset({", value, "})", depth)
        else:
            shown = repr(value)
            self.put(shown if len(shown) <= self.left else cut(shown, max(self.left, 200)))

    def write_items(self, opening, items, closing, depth):
        if id(items) in self.open_ids or depth > _MAX_DEPTH:
            self.put(f"{opening}...{closing}")
            return
        self.open_ids.add(id(items))
        self.put(opening)
        for index, item in enumerate(items):
            if self.left <= 0:
                self.put(f", … {len(items) - index:,} more")
                break
            if index:
                self.put(", ")
            self.write(item, depth + 1)
            if type(items) is dict:
                self.put(": ")
                self.write(items[item], depth + 1)
        self.put(closing)
        self.open_ids.discard(id(items))
