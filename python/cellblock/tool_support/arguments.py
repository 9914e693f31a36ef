"""The arguments of execute_python as a pydantic model, which the frameworks want."""

# The framework need not be installed where this is checked.
# mypy: disable-error-code="import,misc,no-any-return"

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    create_model,
)

_TYPES: dict[str, Any] = {
    "string": StrictStr,
    "number": Annotated[StrictInt | StrictFloat, Field(gt=0)],
}


def arguments_model(parameters: dict[str, Any]) -> type[BaseModel]:
    """The model of a JSON Schema whose properties are strings and numbers above 0. Unknown
    arguments are refused."""
    fields: dict[str, Any] = {}
    for name, schema in parameters["properties"].items():
        kind, words = _TYPES[schema["type"]], schema.get("description")
        if name in parameters.get("required", ()):
            fields[name] = (kind, Field(description=words))
        else:
            fields[name] = (kind | None, Field(default=None, description=words))
    return create_model("ExecutePython", __config__=ConfigDict(extra="forbid"), **fields)


def complaint(error: ValidationError) -> str:
    """What was wrong with the arguments, as a sentence for the model."""
    found = [
        f"`{'.'.join(map(str, one['loc']))}`: {one['msg'][:1].lower()}{one['msg'][1:]}"
        for one in error.errors(include_url=False, include_input=False)
    ]
    return f"The arguments are wrong: {'; '.join(found)}. Put them right and call again."
