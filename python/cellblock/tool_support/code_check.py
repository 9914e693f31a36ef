"""What code of a model's cannot be given to a session."""

from __future__ import annotations

MAX_CODE_BYTES = 1 << 20


def problem_of(code: str) -> str | None:
    """Why the code cannot be run at all, as a sentence for the model; None when it can."""
    try:
        size = len(code.encode())
    except UnicodeEncodeError:
        return "The code has characters that are no valid Unicode: send it without them."
    if size > MAX_CODE_BYTES:
        return (
            f"The code has {size} bytes, the limit is {MAX_CODE_BYTES}: send it in pieces, and "
            "read data from files."
        )
    return None
