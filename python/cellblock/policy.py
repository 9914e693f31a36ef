"""What a session may do and use."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from . import _native


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return MappingProxyType(value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, set, frozenset)):
        return sorted(value) if not isinstance(value, tuple) else list(value)
    return value


class SecurityPolicy:
    """The operator's word on what a session may do; cannot be changed once made.

    ``SecurityPolicy(timeout_s=10, max_memory_bytes=1 << 28)`` starts from the profile ``default``
    and changes the named fields; ``profile="strict"`` starts from another one. ``None`` means no
    limit. An unknown field, a wrong type or an absurd number raises
    :class:`cellblock.PolicyInvalid` with the field's name.
    """

    profile: str
    timeout_s: float
    grace_s: float
    cpu_seconds: float | None
    max_cpus: float | None
    max_memory_bytes: int | None
    max_processes: int | None
    max_threads: int | None
    max_open_files: int | None
    max_file_bytes: int | None
    workspace_bytes: int | None
    workspace_files: int | None
    workspace_dir: str | None
    max_stdout_bytes: int
    max_stderr_bytes: int
    max_text_bytes: int
    max_result_bytes: int
    spool_bytes: int
    allowed_imports: tuple[str, ...]
    import_guard: str
    network: str
    read_paths: tuple[str, ...]
    env: Mapping[str, str]
    background: str
    on_restart: str
    isolation: str
    interpreter: str
    session_ttl_s: float
    idle_ttl_s: float

    def __init__(self, **fields: Any):
        asked = json.dumps({name: _plain(value) for name, value in fields.items()})
        object.__setattr__(self, "_fields", json.loads(_native.complete_policy(asked)))
        for name, value in self._fields.items():
            object.__setattr__(self, name, _frozen(value))

    _fields: dict[str, Any]

    @classmethod
    def from_profile(cls, profile: str) -> SecurityPolicy:
        """The policy of a profile: ``default``, ``strict`` or ``trusted``."""
        return cls(profile=profile)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> SecurityPolicy:
        """The policy with these fields, by their JSON names."""
        return cls(**fields)

    def to_dict(self) -> dict[str, Any]:
        """Every field, as JSON has it: ``from_dict(policy.to_dict()) == policy``."""
        fields: dict[str, Any] = json.loads(self.to_json())
        return fields

    def to_json(self) -> str:
        """Every field, as a JSON object."""
        return json.dumps(self._fields)

    def replace(self, **fields: Any) -> SecurityPolicy:
        """The same policy with some fields changed."""
        return SecurityPolicy(**{**self._fields, **fields})

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a policy cannot be changed: use policy.replace({name}=…)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a policy cannot be changed: use policy.replace({name}=…)")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecurityPolicy) and self._fields == other._fields

    def __hash__(self) -> int:
        return hash(json.dumps(self._fields, sort_keys=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return (SecurityPolicy.from_dict, (self.to_dict(),))

    def __repr__(self) -> str:
        profile = self._fields["profile"]
        base = json.loads(_native.complete_policy(json.dumps({"profile": profile})))
        changed = {name: value for name, value in self._fields.items() if base[name] != value}
        fields = [] if profile == "default" else [f"profile={profile!r}"]
        fields += [f"{name}={value!r}" for name, value in changed.items()]
        return f"SecurityPolicy({', '.join(fields)})"


def policy_json(policy: SecurityPolicy | Mapping[str, Any] | None) -> str:
    """What the library wants of what a caller gave as policy."""
    if policy is None:
        return "{}"
    if isinstance(policy, SecurityPolicy):
        return policy.to_json()
    return SecurityPolicy.from_dict(policy).to_json()
