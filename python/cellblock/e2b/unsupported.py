"""What E2B has and Cellblock does not."""

from __future__ import annotations

from typing import Any, NoReturn

from .exceptions import UnsupportedException


def refuse(what: str, instead: str) -> NoReturn:
    """Raise the exception that names what to use in its place."""
    raise UnsupportedException(f"Cellblock has no {what}: {instead}.")


class Missing:
    """A part of a sandbox whose every use says what to use in its place."""

    def __init__(self, what: str, instead: str):
        """See :func:`refuse`."""
        self._what = what
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        refuse(f"{self._what}.{name}", self._instead)


COMMANDS = Missing("commands", "a session has no shell; do it in Python with run_code")
PTY = Missing("pty", "a session has no terminal; use run_code")
GIT = Missing("git", "a session has no network and no shell; upload the files with files.write")


def check_language(language: str | None) -> None:
    """Python is the one that there is."""
    if language not in (None, "python", "python3"):
        refuse(f"language {language!r}", "run Python")


def check_template(template: str | None) -> None:
    """The packages are those of the executor's Python."""
    if template not in (None, "base", "code-interpreter-v1"):
        refuse(
            f"template {template!r}",
            "give the Python whose packages you want: executor=cellblock.Executor(python=…)",
        )


def check_network(allow_internet_access: bool | None) -> None:
    """There is none."""
    if allow_internet_access:
        refuse("network", "fetch on the host's side and give the data with files.write")


def check_envs(envs: object) -> None:
    """Environment variables are a session's, not a run's."""
    if envs:
        refuse("envs of a single run", "set them for all runs: Sandbox.create(envs=…)")
