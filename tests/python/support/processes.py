"""Processes below one, and their end."""

import os
import subprocess
import time


def children_of(pid):
    """Every process below one."""
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    found = [int(line) for line in listed.stdout.split()]
    return found + [below for child in found for below in children_of(child)]


def sessions_of(pid):
    """Those of them that are Python processes: without cages' inits, which are made ahead."""
    found = set()
    for child in children_of(pid):
        try:
            with open(f"/proc/{child}/cmdline", "rb") as file:
                if not file.read().startswith(b"cellblock-init"):
                    found.add(child)
        except FileNotFoundError:  # it has just ended
            pass
    return found


def gone(pids, patience_s=10):
    """Wait until none of the processes is left."""
    deadline = time.monotonic() + patience_s
    while any(os.path.exists(f"/proc/{pid}") for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
