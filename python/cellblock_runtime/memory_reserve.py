"""A little address space kept back, so that running out of memory can still be reported.

It is mapped and never touched: it counts towards a data limit, not as used memory, and costs no
page fault. Giving a part back after a MemoryError leaves room to describe the error, and another
lets a cell run that frees memory, even if the last one has left none.
"""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

from .own_builtins import __builtins__  # noqa: F401

# CPython takes memory for small objects by the MiB; what is over is for the C library.
_PART = (1 << 20) + (256 << 10)
_PARTS = 3
_THREAD_STACK = 8 << 20  # as the C library takes it by default


def has_room_for_a_thread():
    """Whether a thread's stack could be mapped now; if not, it is memory that a thread lacks."""
    try:
        mmap(-1, _THREAD_STACK, flags=MAP_PRIVATE | MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        return False
    return True


class MemoryReserve:
    """Call `take` when memory is plenty and `give_back` each time when it has run out."""

    def __init__(self):
        self.parts = []

    def take(self):
        """Map again what is missing, as far as there is room."""
        while len(self.parts) < _PARTS:
            try:
                self.parts.append(mmap(-1, _PART, flags=MAP_PRIVATE | MAP_ANONYMOUS))
            except (OSError, MemoryError):
                return

    def give_back(self):
        """Unmap one part; False: there is none."""
        if not self.parts:
            return False
        self.parts.pop().close()
        return True
