"""The process's surroundings of a session: folder, environment, random numbers."""

import os
import random
import sys
import time
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

BACKEND = "module://cellblock_runtime.matplotlib_backend"
_KEPT = ("MPLCONFIGDIR", "MPLBACKEND")
_KEPT_ENDINGS = ("_NUM_THREADS", "_MAX_THREADS", "_MAXIMUM_THREADS")


def enter(workspace, variables):
    """Make `workspace` the current folder and HOME, and replace the whole environment."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.endswith(_KEPT_ENDINGS)
    }
    basics = {"LANG": "C.UTF-8", "TZ": "UTC", "MPLBACKEND": BACKEND, "HOME": workspace}
    os.environ.clear()
    os.environ.update({**basics, **kept, **(variables or {}), "HOME": workspace})
    time.tzset()
    os.chdir(workspace)
    if "" not in sys.path and workspace not in sys.path:
        sys.path.insert(0, workspace)


def reseed():
    """Give this process its own random numbers: forks share the generators of their parent."""
    random.seed()
    numpy = modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()
    tempfile = modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
