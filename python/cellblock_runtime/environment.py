"""The process's surroundings of a session: folder, environment, random numbers."""

import os
import sys
import time
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

BACKEND = "module://cellblock_runtime.matplotlib_backend"
_KEPT = ("MPLCONFIGDIR", "MPLBACKEND")
_KEPT_ENDINGS = ("_NUM_THREADS", "_MAX_THREADS", "_MAXIMUM_THREADS")


def _has_fonts(folder):
    """Whether matplotlib can use the folder, which is for reading only: not to make its list."""
    try:
        return any(name.startswith("fontlist-") for name in os.listdir(folder))
    except OSError:
        return False


def enter(workspace, variables):
    """Make `workspace` the current folder and HOME, and replace the whole environment."""
    old = dict(os.environ)
    kept = {
        name: value for name, value in old.items() if name in _KEPT or name.endswith(_KEPT_ENDINGS)
    }
    if "matplotlib" not in modules and not _has_fonts(kept.get("MPLCONFIGDIR", "")):
        kept.pop("MPLCONFIGDIR", None)  # its default is below HOME
    new = {"LANG": "C.UTF-8", "TZ": "UTC", "MPLBACKEND": BACKEND}
    new |= {**kept, **(variables or {}), "HOME": workspace}
    # Only what differs: each write costs page faults in a fresh fork, and tzset reads files.
    for name in old.keys() - new.keys():
        del os.environ[name]
    for name, value in new.items():
        if old.get(name) != value:
            os.environ[name] = value
    if old.get("TZ") != new["TZ"]:
        time.tzset()
    os.chdir(workspace)
    if "" not in sys.path and workspace not in sys.path:
        sys.path.insert(0, workspace)


def reseed():
    """Give this process its own random numbers: forks share the generators of their parent.

    The `random` module does it by itself after a fork. numpy's global generator gets 256 bits; to
    let it find its own seed costs half a millisecond more.
    """
    numpy = modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(list(memoryview(os.urandom(32)).cast("I")))
    tempfile = modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
