"""Where the programs that the package brings are."""

from __future__ import annotations

from pathlib import Path

_PROGRAMS = Path(__file__).parent / "programs"


def zygote() -> str:
    """The program that sessions are forked from."""
    return str(_PROGRAMS / "cellblock-zygote")


def command_line() -> str:
    """The program ``cellblock``."""
    return str(_PROGRAMS / "cellblock")
