"""Processes below one, what they hold, and their end."""

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


def sessions_of(pid):
    """Those of them that are Python processes: without cages' inits, which are made ahead."""
    seen = _not_inits(descendants(pid))
    # An init bears the zygote's name until it has been told its own.
    time.sleep(0.1)
    return _not_inits(seen)


def _not_inits(pids):
    found = set()
    for pid in pids:
        try:
            name = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if not name.startswith(b"cellblock-init"):
            found.add(pid)
    return found


def comes_true(condition, patience_s=PATIENCE_S):
    """Whether it does, in time."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def gone(pids, patience_s=10):
    """Whether none of the processes is left, in time."""
    return comes_true(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), patience_s)


def peak_mib(pid):
    """The most memory that it has had, once it takes no more for a while."""
    seen = -1
    for _ in range(PATIENCE_S):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
        if peak == seen:
            break
        seen = peak
        time.sleep(1)
    return seen
