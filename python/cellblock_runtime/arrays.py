"""numpy arrays as text: exact while they are small, else shape and type first and the corners.

numpy is looked up among the loaded modules and never imported to find out.
"""

from sys import modules

from .own_builtins import __builtins__  # noqa: F401

_WHOLE_ITEMS = 200
_WHOLE_CHARACTERS = 2000
_LINE_WIDTH = 100


def text_of(value):
    """The text of an ndarray; None for anything else and for arrays that repr shows whole."""
    numpy = modules.get("numpy")
    kind = getattr(numpy, "ndarray", None)
    if type(kind) is not type or type(value) is not kind:
        return None
    if value.size <= _WHOLE_ITEMS:
        shown = repr(value)
        if len(shown) <= _WHOLE_CHARACTERS:
            return shown
    shape = ", ".join(map(str, value.shape))
    with numpy.printoptions(threshold=_WHOLE_ITEMS, edgeitems=3, linewidth=_LINE_WIDTH):
        return f"ndarray({shape}) {value.dtype}:\n{numpy.array2string(value)}"
