"""Python in the text of a model's reply."""

import re
from collections.abc import Iterator

# A fence and what stands behind it on its line; up to three spaces before, as in Markdown. Items
# of a list are indented further, so any indentation counts.
_FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_PYTHON = frozenset(("", "python", "py", "python3", "ipython", "execute_python", "tool_code"))
# What models that think aloud put before their answer; code in it was thought of, not sent.
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)


def without_thoughts(text: str) -> str:
    """The text without what stands in <think>…</think> and its like."""
    # A template may have opened the thought before the reply began.
    for end in ("</think>", "</thinking>", "</reasoning>"):
        head, found, tail = text.rpartition(end)
        if found and end.replace("/", "") not in head:
            text = tail
    return _THOUGHT.sub("", text)


def python_blocks(text: str) -> list[str]:
    """The code of every fenced block that is marked as Python or not at all, in order.

    A block that is never closed ends with the text. A line of backticks within a triple-quoted
    string does not close one.
    """
    lines = without_thoughts(text).replace("\r\n", "\n").split("\n")
    blocks = []
    for language, body in _blocks(lines):
        code = "\n".join(body).strip("\n")
        if language in _PYTHON and code.strip():
            blocks.append(code)
    return blocks


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    at = 0
    while at < len(lines):
        opening = _FENCE.match(lines[at])
        at += 1
        if opening is None:
            continue
        indent, fence, info = opening.groups()
        end = _closing(lines, at, fence)
        words = info.strip().strip("{}").lstrip(".").lower().split()
        yield words[0] if words else "", [_outdented(line, indent) for line in lines[at:end]]
        at = end + 1


def _closing(lines: list[str], start: int, fence: str) -> int:
    """The line that closes a block, or the number of lines."""
    first = None
    for at in range(start, len(lines)):
        match = _FENCE.match(lines[at])
        if match is None or match.group(3).strip() or not match.group(2).startswith(fence):
            continue
        if first is None:
            first = at
        if not _in_string(lines[start:at]):
            return at
    return len(lines) if first is None else first


def _in_string(lines: list[str]) -> bool:
    code = "\n".join(lines)
    return code.count('"""') % 2 == 1 or code.count("'''") % 2 == 1


def _outdented(line: str, indent: str) -> str:
    return line[len(indent) :] if line.startswith(indent) else line.lstrip(" \t")
