"""When two errors are the same one."""

import re
from typing import Any

# What changes from one run of the same mistake to the next, and the word that stands for it.
_VARYING = (
    (re.compile(r"\b0x[0-9a-fA-F]+"), "ADDRESS"),
    (re.compile(r"<cell[^>]*>"), "CELL"),
    (re.compile(r"\bline \d+"), "line N"),
    (
        re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I),
        "UUID",
    ),
    (re.compile(r"/tmp/[\w./-]+"), "PATH"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds?)\b"), "TIME"),
    (re.compile(r"\s+"), " "),
)
_LONGEST = 500


def error_signature(result: Any) -> str | None:
    """One line that is equal for the same error of two executions; None when it did not fail.

    An error is its status, its name and its message, without addresses, line numbers, times and
    the like. Other numbers count: `KeyError: 2019` is not `KeyError: 2020`.
    """
    if succeeded(result):
        return None
    if result.error is None:
        return f"{result.status}/{result.cause}/{result.exit_code}"
    text = f"{result.error.name}: {result.error.value}"
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return f"{result.status}/{text.strip()[:_LONGEST]}"


def succeeded(result: Any) -> bool:
    """Whether the code did what it set out to: it ended, and not by an error."""
    return bool(result.status == "ok" or (result.status == "exit" and result.exit_code == 0))
