"""display() and what belongs to it, as in notebooks: handles, updates and clearing."""

import os

from .bundles import bundle_of, bundle_of_mime
from .own_builtins import __builtins__  # noqa: F401
from .results import Limits
from .wire import outbox

_MAX_ID = 200


class DisplayHandle:
    """A result that can be shown anew in its place."""

    def __init__(self, display_id=None):
        self.display_id = _checked(display_id) if display_id else os.urandom(8).hex()

    def display(self, value, **options):
        """Show a value under this id."""
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        """Show a value in the place of what has this id."""
        update_display(value, display_id=self.display_id, **options)

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"


def display(*values, raw=False, include=None, exclude=None, display_id=None, **options):
    """Show each value as a result, in order; a value's MIME types can be chosen.

    raw=True: the values are {MIME type: data} mappings. include, exclude: MIME types; including
    "application/json" asks for the records of a table. display_id=True or a name: returns a handle
    with update(value). Other options of notebooks are accepted and do nothing.
    """
    handle = None
    if display_id is not None and display_id is not False:
        handle = DisplayHandle(None if display_id is True else display_id)
    if options.get("clear"):
        clear_output(wait=True)
    is_update = bool(options.get("update"))
    for value in values:
        bundle = _bundle(value, raw, include, exclude)
        if bundle is not None:
            outbox.send(bundle, False, handle and handle.display_id, is_update)
    return None if is_update else handle


def update_display(value, *, display_id, raw=False, include=None, exclude=None, **options):
    """Show a value in the place of the result with that display_id."""
    bundle = _bundle(value, raw, include, exclude)
    if bundle is not None:
        outbox.send(bundle, False, _checked(display_id), True)


def clear_output(wait=False):
    """Take back the results that this run has shown; wait=True: when the next one comes.

    What has been printed stays.
    """
    if wait:
        outbox.clear_before_next()
    else:
        outbox.clear()


def _bundle(value, raw, include, exclude):
    if raw:
        return bundle_of_mime(value)
    return bundle_of(value, Limits.max_text_bytes, _names(include), _names(exclude))


def _names(types):
    return [types] if isinstance(types, str) else types if types is None else list(types)


def _checked(display_id):
    if not isinstance(display_id, str):
        raise TypeError(f"display_id is a text, not {type(display_id).__name__}")
    return str.__str__(display_id)[:_MAX_ID]
