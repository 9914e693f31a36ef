"""Names that resemble a wrong one, and lists of names that stay short."""

import difflib

from .own_builtins import __builtins__  # noqa: F401

MAX_LISTED = 20
_MAX_COMPARED = 5000
_MAX_LENGTH = 100


def nearest(name, candidates):
    """The candidates that resemble a name, best first; never the name itself."""
    if not _is_comparable(name):
        return []
    names = [text for text in candidates if _is_comparable(text) and text != name][:_MAX_COMPARED]
    folded = [text for text in names if text.lower() == name.lower()]
    return folded or difflib.get_close_matches(name, names, 3, 0.7)


def _is_comparable(text):
    return type(text) is str and len(text) <= _MAX_LENGTH


def listed(names, count=None):
    """The first names with commas between them; `count`: how many there are in all."""
    names = [str(name) for name in names]
    more = (len(names) if count is None else count) - MAX_LISTED
    return ", ".join(names[:MAX_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def either(names):
    """`one` or `other`."""
    return " or ".join(f"`{name}`" for name in names)
