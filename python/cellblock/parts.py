"""What a result consists of: plain values with the names of the JSON form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ExecutionError:
    """The exception that ended the code, or what stopped it."""

    name: str
    value: str
    traceback: str
    #: One sentence to act on.
    hint: str | None = None


@dataclass(frozen=True)
class Variable:
    """A name in the session: ``summary`` is for example ``DataFrame(1000, 12)``."""

    name: str
    type: str
    summary: str


@dataclass(frozen=True)
class VariableChange:
    """What a run did to a name; of a removed one only the name is known."""

    name: str
    type: str = ""
    summary: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Changes:
    """What a run changed in the namespace."""

    added: tuple[VariableChange, ...] = ()
    changed: tuple[VariableChange, ...] = ()
    removed: tuple[VariableChange, ...] = ()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Changes:
        """Read the JSON form."""
        return cls(**{kind: tuple(VariableChange(**one) for one in data[kind]) for kind in data})


@dataclass(frozen=True)
class FileInfo:
    """A file of the workspace; ``path`` is relative to it, ``size`` in bytes."""

    path: str
    size: int
    mime: str


@dataclass(frozen=True)
class FileChanges:
    """What a run did in the workspace."""

    created: tuple[FileInfo, ...] = ()
    changed: tuple[FileInfo, ...] = ()
    deleted: tuple[FileInfo, ...] = ()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FileChanges:
        """Read the JSON form."""
        return cls(**{kind: tuple(FileInfo(**one) for one in data[kind]) for kind in data})


@dataclass(frozen=True)
class Truncation:
    """How much of a stream is not in the result: :meth:`cellblock.Session.output` has the rest."""

    total_bytes: int
    omitted_bytes: int


@dataclass(frozen=True)
class Truncated:
    """Which streams were cut."""

    stdout: Truncation | None = None
    stderr: Truncation | None = None

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Truncated:
        """Read the JSON form."""
        return cls(**{name: cut and Truncation(**cut) for name, cut in data.items()})


@dataclass(frozen=True)
class Late:
    """What was written after the last run had ended and before this one."""

    stdout: str = ""
    stderr: str = ""


@dataclass(frozen=True)
class Usage:
    """What a run has used."""

    wall_ms: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_bytes: int = 0


@dataclass(frozen=True)
class Layer:
    """One kernel mechanism, and whether the session has it."""

    name: str
    on: bool
    detail: str = ""
    #: What would bring it.
    remedy: str = ""


@dataclass(frozen=True)
class Isolation:
    """How far a session is isolated: ``full``, ``reduced``, ``partial`` or ``none``."""

    level: str
    layers: tuple[Layer, ...] = ()

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Isolation:
        """Read the JSON form."""
        return cls(data["level"], tuple(Layer(**layer) for layer in data["layers"]))


@dataclass(frozen=True)
class Completion:
    """What could stand between ``start`` and ``end`` of the code (in code points)."""

    matches: list[str] = field(default_factory=list)
    start: int = 0
    end: int = 0


@dataclass(frozen=True)
class Inspection:
    """What is known of the name at the cursor."""

    found: bool
    text: str


@dataclass(frozen=True)
class Completeness:
    """Whether code can run: ``complete``, ``invalid`` or ``incomplete`` (``indent`` goes on)."""

    status: str
    indent: str


@dataclass(frozen=True)
class OutputPage:
    """A piece of a stream, or what a search found; at the end ``next_offset == total_bytes``."""

    text: str
    next_offset: int
    total_bytes: int


@dataclass(frozen=True)
class RedactionReport:
    """What was done to a file before the session got it."""

    path: str
    format: str
    columns: tuple[str, ...]
    rows: int
    rules: dict[str, str]

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RedactionReport:
        """Read the JSON form."""
        fields = dict(data)
        fields["columns"] = tuple(data["columns"])
        return cls(**fields)


@dataclass(frozen=True)
class TraceContext:
    """The caller's own marks, returned and logged as given."""

    traceparent: str = ""
    request_id: str = ""
    tenant: str = ""

    def to_dict(self) -> dict[str, str]:
        """The marks that are set."""
        return {name: value for name, value in vars(self).items() if value}
