"""The variables of a namespace, and what an execution changed about them.

A scan compares a cheap stamp of each value with the one from the last scan and describes only
what differs. It runs no user code: types are compared exactly, attributes of user classes are
never touched (see value_kinds).
"""

from .own_builtins import __builtins__  # noqa: F401
from .text import type_name
from .value_kinds import DEFAULT, KINDS, is_hidden, know_loaded_packages

MAX_LISTED = 100
_MAX_CHANGES = 100


class _Record:
    __slots__ = ("kind", "stamp", "structure", "entry")


class Variables:
    """What is known of the visible names of one namespace; the last changed stands last."""

    def __init__(self, helpers):
        self.helpers = helpers
        self.records = {}
        self.listing = []

    def scan(self, namespace):
        """Returns (listing, changes) and makes the present state the one to compare with."""
        know_loaded_packages()
        records, seen = self.records, 0
        added, changed, removed = [], [], []
        kinds = KINDS.get
        for name, value in list(namespace.items()):
            if type(name) is not str or name[:1] == "_":
                continue
            seen += 1
            kind = type(value)
            describer = kinds(kind, DEFAULT)
            stamp = describer.stamp(value)
            record = records.get(name)
            if record is not None and record.kind is kind:
                known = record.stamp
                if stamp is known or stamp == known:
                    continue
            self._note(name, value, describer, stamp, added, changed, removed)
        if seen != len(records):
            for name in [name for name in records if name not in namespace]:
                self._forget(name, removed)
        if added or changed or removed:
            shown = [record.entry for record in records.values() if record.entry is not None]
            self.listing = shown[-MAX_LISTED:][::-1]
        changes = {"added": added, "changed": changed, "removed": removed}
        if len(added) + len(changed) + len(removed) > _MAX_CHANGES:
            changes = {kind: part[-_MAX_CHANGES:] for kind, part in changes.items()}
        return self.listing, changes

    def _note(self, name, value, describer, stamp, added, changed, removed):
        old = self.records.pop(name, None)
        record = self.records[name] = _Record()
        record.kind, record.stamp = type(value), stamp
        record.structure = record.entry = None
        is_helper = value is not None and self.helpers.get(name) is value
        if is_helper or is_hidden(value):
            if old is not None and old.entry is not None:
                removed.append({"name": name})
            return
        record.structure = describer.structure(value)
        summary = describer.summary(value, record.structure)
        record.entry = {"name": name, "type": type_name(record.kind), "summary": summary}
        if old is None or old.entry is None:
            added.append(record.entry)
            return
        if old.kind is not record.kind:
            detail = f"{old.entry['type']} → {record.entry['type']}"
        else:
            detail = describer.detail(old.structure, record.structure, old.stamp, stamp)
        if detail is not None:
            changed.append({**record.entry, "detail": detail})

    def _forget(self, name, removed):
        record = self.records.pop(name)
        if record.entry is not None:
            removed.append({"name": name})
