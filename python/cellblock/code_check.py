"""What code cannot be given to a session at all."""

from __future__ import annotations

from . import _native
from .errors import BadArgument


def check_code(code: str) -> None:
    """Raises BadArgument or TooLarge, with a sentence also for a model, where a session would not
    take the code."""
    try:
        code.encode()
    except UnicodeEncodeError as error:
        raise BadArgument(
            f"The code has half a character (a lone surrogate) at position {error.start}, which is "
            "no valid Unicode: take it out."
        ) from None
    _native.check_code(code)
