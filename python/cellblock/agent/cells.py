"""What a reply wants to be run."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cellblock import CellblockError
from cellblock.code_check import check_code

from .code_blocks import python_blocks, without_thoughts
from .messages import Reply, ToolCall


@dataclass(frozen=True)
class Cell:
    """One piece of code that a model sent, or what is wrong with how it was sent.

    `call_id` is that of the tool call; None when the code stood in the text.
    """

    code: str = ""
    timeout_s: float | None = None
    call_id: str | None = None
    problem: str | None = None


def cells_of(reply: Reply, tool: dict[str, Any], read_text: bool, bare: bool) -> list[Cell]:
    """What the reply wants to be run, in order.

    Tool calls come first: where there are any, the text is talk. Else, with `read_text`, the
    fenced blocks of the text are one cell; with `bare`, text without a fence is one too.
    """
    if reply.tool_calls:
        return [cell_of_call(call, tool) for call in reply.tool_calls]
    if not read_text:
        return []
    blocks = python_blocks(reply.text)
    code = "\n\n".join(blocks)
    if not blocks and bare:
        code = without_thoughts(reply.text)
    return [Cell(code=code, problem=_problem_of(code))] if code.strip() else []


def cell_of_call(call: ToolCall, tool: dict[str, Any]) -> Cell:
    """The cell of one tool call; its `problem` is a sentence for the model."""
    name = tool["name"]
    if call.name != name:
        return Cell(
            call_id=call.id, problem=f"There is no tool named {call.name!r}: call {name} instead."
        )
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError as error:
        return Cell(
            call_id=call.id,
            problem=f"The arguments of {name} are no valid JSON ({error}): send them again.",
        )
    return _checked(call.id, name, arguments, tool["parameters"].get("properties", {}))


def _checked(call_id: str, name: str, arguments: Any, known: Iterable[str]) -> Cell:
    def refuse(what: str) -> Cell:
        return Cell(call_id=call_id, problem=f"{name}: {what}")

    if not isinstance(arguments, dict):
        return refuse("the arguments must be a JSON object with the code as `code`.")
    unknown = sorted(set(map(str, arguments)) - set(known))
    if unknown:
        return refuse(f"there is no argument {unknown[0]!r}; there are {', '.join(sorted(known))}.")
    code = arguments.get("code")
    if not isinstance(code, str) or not code.strip():
        return refuse("`code` must be text, the Python code to run.")
    problem = _problem_of(code)
    if problem:
        return refuse(problem)
    timeout = arguments.get("timeout_seconds")
    if timeout is not None:
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
            return refuse("`timeout_seconds` must be a number above 0.")
    return Cell(code=code, timeout_s=timeout, call_id=call_id)


def _problem_of(code: str) -> str | None:
    try:
        check_code(code)
    except CellblockError as error:
        return error.message
    return None
