"""What a process holds, to see that it gives everything back."""

import os
import pathlib
import time

PATIENCE_S = 60


def descriptors(pid):
    """How many it has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def descendants(pid):
    """The processes below it."""
    found = []
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            direct = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        for child in direct:
            found += [child, *descendants(child)]
    return found


def comes_true(condition, patience_s=PATIENCE_S):
    """Whether it does, in time."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
