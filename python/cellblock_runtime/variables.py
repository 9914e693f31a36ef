"""The variables of a namespace, and what an execution changed about them.

A scan looks at what was bound anew, at the values that can change in place, and at the names that
the cell's code can reach; of the last also at their contents, by sampling. It runs no user code:
types are compared exactly, attributes of user classes are never touched (see value_kinds).
"""

from itertools import compress, repeat
from operator import is_, is_not, ne

from .cell_names import reachable_names
from .contents import mark_of
from .own_builtins import __builtins__  # noqa: F401
from .text import type_name
from .value_kinds import DEFAULT, KINDS, can_change_in_place, is_hidden, know_loaded_packages

MAX_LISTED = 100
_MAX_CHANGES = 100
_MAX_SAMPLED = 200


class _Record:
    __slots__ = ("kind", "stamp", "structure", "entry")


class _Changes:
    def __init__(self):
        self.added, self.changed, self.removed = [], [], []


class Variables:
    """What is known of the visible names of one namespace; the last changed stands last."""

    def __init__(self, helpers):
        self.helpers = helpers
        self.records = {}
        self.listing = []
        # The whole namespace at the last scan, as lists and by name:
        self.names, self.ids, self.kinds = [], [], []
        self.id_of, self.kind_of = {}, {}
        self.in_place = {}  # names of values that can change in place
        self.reached = ()  # names that the running cell's code can reach
        self.marks = {}  # {name: (id, mark of its contents)} of those, before the cell ran

    def watch(self, codes, namespace):
        """Before a cell runs: note the contents of what its code can change."""
        self.reached = codes[0].co_names if len(codes) == 1 else ()
        self.marks = {}
        if not self.in_place:
            return
        reached = reachable_names(codes, namespace)
        if reached is None:
            reached = dict.fromkeys(list(self.in_place)[-_MAX_SAMPLED:])
        self.reached = reached
        for name in self._with_aliases(reached):
            value = namespace.get(name)
            self.marks[name] = (id(value), mark_of(value))

    def scan(self, namespace):
        """Returns (listing, changes) and makes the present state the one to compare with."""
        know_loaded_packages()
        # No loop of Python's own over all names: this is what every run pays for.
        values = namespace.copy()
        names, ids = list(values), list(map(id, values.values()))
        kinds = list(map(type, values.values()))
        changes = _Changes()
        if not (
            ids == self.ids
            and all(map(is_, names, self.names))
            and all(map(is_, kinds, self.kinds))
        ):
            values = _with_plain_names(values)
            self._look_at(self._bound_anew(values), values, changes)
            self.names, self.ids, self.kinds = names, ids, kinds
        if self.in_place or self.reached:
            self._look_at({**self.in_place, **dict.fromkeys(self.reached)}, values, changes)
        self.reached, self.marks = (), {}
        told = self._told(changes)
        return self.listing, told

    def _bound_anew(self, values):
        """The names whose values are not those of the last scan, in the order of the namespace."""
        ids = dict(zip(values, map(id, values.values())))
        kinds = dict(zip(values, map(type, values.values())))
        moved = compress(ids, map(is_not, map(self.kind_of.get, kinds), kinds.values()))
        bound = compress(ids, map(ne, map(self.id_of.get, ids), ids.values()))
        names = dict.fromkeys([*moved, *bound])
        names.update(dict.fromkeys(sorted(self.id_of.keys() - ids.keys())))
        self.id_of, self.kind_of = ids, kinds
        return names

    def _with_aliases(self, reached):
        """The reached names whose values can change in place, and other names of these values."""
        names = [name for name in self.in_place if name in reached][:_MAX_SAMPLED]
        ids = {self.id_of.get(name) for name in names}
        if not ids:
            return names
        return [name for name in self.in_place if self.id_of.get(name) in ids][:_MAX_SAMPLED]

    def _look_at(self, names, values, changes):
        kind_of = KINDS.get
        for name in names:
            if name[:1] == "_":
                continue
            if name not in values:
                self._forget(name, changes)
                continue
            value = values[name]
            kind = type(value)
            describer = kind_of(id(kind), DEFAULT)
            stamp = describer.stamp(value)
            record = self.records.get(name)
            if record is not None and record.kind is kind:
                known = record.stamp
                if stamp is known or stamp == known:
                    detail = self._contents_detail(name, value, record)
                    if detail is not None:
                        self.records[name] = self.records.pop(name)
                        changes.changed.append({**record.entry, "detail": detail})
                    continue
            self._note(name, value, describer, stamp, changes)

    def _contents_detail(self, name, value, record):
        """How the contents differ from those before the cell; None: not at all, or not known."""
        before = self.marks.pop(name, None)
        if before is None or before[0] != id(value):
            return None
        mark = mark_of(value)
        return None if mark == before[1] else _contents_detail(before[1], mark, record)

    def _note(self, name, value, describer, stamp, changes):
        old = self.records.pop(name, None)
        record = self.records[name] = _Record()
        record.kind, record.stamp = type(value), stamp
        record.structure = record.entry = None
        self.in_place.pop(name, None)
        helper = self.helpers.get(name)
        if (value is not None and helper is value) or is_hidden(value):
            if old is not None and old.entry is not None:
                changes.removed.append({"name": name})
            return
        if can_change_in_place(record.kind):
            self.in_place[name] = None
        record.structure = describer.structure(value)
        summary = describer.summary(value, record.structure)
        record.entry = {"name": name, "type": type_name(record.kind), "summary": summary}
        if old is None or old.entry is None:
            entry = record.entry
            if helper is not None:
                entry = {**entry, "detail": f"the session's own helper {name} is hidden by it"}
            changes.added.append(entry)
            return
        if old.kind is not record.kind:
            detail = f"{old.entry['type']} → {record.entry['type']}"
        else:
            detail = describer.detail(old.structure, record.structure, old.stamp, stamp)
            if detail is None:  # its parts are others, of the same shape
                detail = self._contents_detail(name, value, record)
        if detail is not None:
            changes.changed.append({**record.entry, "detail": detail})

    def _forget(self, name, changes):
        self.in_place.pop(name, None)
        record = self.records.pop(name, None)
        if record is not None and record.entry is not None:
            changes.removed.append({"name": name})

    def _told(self, changes):
        told = {"added": changes.added, "changed": changes.changed, "removed": changes.removed}
        if not (changes.added or changes.changed or changes.removed):
            return told
        shown = [record.entry for record in self.records.values() if record.entry is not None]
        self.listing = shown[-MAX_LISTED:][::-1]
        if sum(map(len, told.values())) > _MAX_CHANGES:
            told = {kind: part[-_MAX_CHANGES:] for kind, part in told.items()}
        return told


def _with_plain_names(values):
    """Without the names that are no plain text: those may have a hash of their own."""
    if all(map(is_, map(type, values), repeat(str))):
        return values
    return {name: value for name, value in values.items() if type(name) is str}


def _contents_detail(before, after, record):
    """What a sample shows of a change in place: which columns, where there are columns."""
    if type(before) is dict and type(after) is dict and type(record.structure) is tuple:
        columns = list(record.structure[2]) if len(record.structure) == 3 else []
        changed = [place for place in sorted(after) if after[place] != before.get(place)]
        names = [columns[place] for place in changed if place < len(columns)]
        if names:
            more = f" and {len(names) - 10} more" if len(names) > 10 else ""
            return f"values changed in {', '.join(names[:10])}{more}"
    return "contents changed in place"
