"""E2B's exceptions, and how Cellblock's errors become them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import BadArgument, CellblockError, Expired, TooLarge, UnknownSession, Unsupported

if TYPE_CHECKING:
    from .models import Execution


class SandboxException(Exception):
    """Whatever goes wrong beside the code."""


class TimeoutException(SandboxException):
    """The code, or the sandbox, was out of time.

    ``execution`` is what the code had done by then, where it was the code.
    """

    execution: Execution | None = None


class InvalidArgumentException(SandboxException):
    """An argument has a value that the call cannot take."""


class NotFoundException(SandboxException):
    """There is no such thing, or no such sandbox any more."""


class FileNotFoundException(NotFoundException):
    """There is no such file."""


class UnsupportedException(SandboxException, Unsupported):
    """E2B has it and Cellblock does not."""


@contextmanager
def translated() -> Iterator[None]:
    """Raise Cellblock's errors as E2B's."""
    try:
        yield
    except Expired as error:
        raise TimeoutException(error.message) from error
    except UnknownSession as error:
        raise NotFoundException(error.message) from error
    except (BadArgument, TooLarge) as error:
        raise InvalidArgumentException(error.message) from error
    except Unsupported as error:
        raise UnsupportedException(error.message) from error
    except CellblockError as error:
        raise SandboxException(error.message) from error
