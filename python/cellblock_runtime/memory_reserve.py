"""A little address space kept back, so that running out of memory can still be reported.

It is mapped and never touched: it counts towards a data limit, not as used memory, and costs no
page fault. Giving it back after a MemoryError leaves room to describe the error.
"""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

from .own_builtins import __builtins__  # noqa: F401

_SIZE = 1 << 20
_THREAD_STACK = 8 << 20  # as the C library takes it by default


def has_room_for_a_thread():
    """Whether a thread's stack could be mapped now; if not, it is memory that a thread lacks."""
    try:
        mmap(-1, _THREAD_STACK, flags=MAP_PRIVATE | MAP_ANONYMOUS).close()
    except (OSError, MemoryError):
        return False
    return True


class MemoryReserve:
    """Call `take` when memory is plenty and `give_back` when it has run out."""

    def __init__(self):
        self.mapping = None

    def take(self):
        """Map the reserve again if it is missing and there is room."""
        if self.mapping is None:
            try:
                self.mapping = mmap(-1, _SIZE, flags=MAP_PRIVATE | MAP_ANONYMOUS)
            except (OSError, MemoryError):
                self.mapping = None

    def give_back(self):
        """Unmap the reserve."""
        if self.mapping is not None:
            self.mapping.close()
            self.mapping = None
