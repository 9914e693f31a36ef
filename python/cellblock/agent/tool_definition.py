"""The definition of execute_python as the loop gives it to a model."""

from typing import Any


def tool_definition(session: Any) -> dict[str, Any]:
    """`name`, `description` and `parameters`, as the session's policy and packages make them. Made
    once for a run; may wait until the session's executor is ready."""
    known = session.tool_definition("json")
    return {
        "name": known["name"],
        "description": known["description"],
        "parameters": known["input_schema"],
    }
