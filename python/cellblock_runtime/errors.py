"""An exception of user code described as a value: name, value, traceback, hint."""

from .hints import hint_for
from .interrupts import attempt
from .own_builtins import __builtins__  # noqa: F401
from .pristine import Pristine
from .text import type_name
from .tracebacks import format_error, value_text


def describe(error, session):
    """The `error` part of a reply; never raises, whatever the exception's class does."""
    name = type_name(type(error))
    with Pristine():
        try:
            value = value_text(error)
            traceback = format_error(error)
        except Exception as failure:
            value = f"<it could not be shown: {type_name(type(failure))}>"
            traceback = f"{name}: {value}"
        hint, _ = attempt(hint_for, error, session)
    return {"name": name, "value": value, "traceback": traceback, "hint": hint}
