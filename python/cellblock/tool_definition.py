"""The definition of execute_python for a caller that keeps the session itself."""

from __future__ import annotations

from typing import Any

# What a caller that keeps the session decides, not the model.
_OF_THE_CALLER = frozenset(("session_id",))


def plain_definition(everything: dict[str, Any]) -> dict[str, Any]:
    """``name``, ``description`` and ``parameters`` (JSON Schema) of what ``tool_definition("json")``
    of a session or an executor gives."""
    schema = everything["input_schema"]
    properties = {k: v for k, v in schema["properties"].items() if k not in _OF_THE_CALLER}
    return {
        "name": everything["name"],
        "description": everything["description"],
        "parameters": {**schema, "properties": properties},
    }
