"""The process's surroundings of a session: folder, environment, random numbers."""

import os
import sys
import time
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

BACKEND = "module://cellblock_runtime.matplotlib_backend"
_KEPT = ("MPLCONFIGDIR", "MPLBACKEND")
_KEPT_ENDINGS = ("_NUM_THREADS", "_MAX_THREADS", "_MAXIMUM_THREADS")


def _own_matplotlib_folder(shared):
    """One that matplotlib may write to, with the lists of fonts from `shared`; None: there is none.

    Making such a list takes seconds, and `shared` can only be read.
    """
    folder = "/tmp/matplotlib"
    try:
        os.mkdir(folder, 0o700)
        for name in os.listdir(shared):
            if name.startswith("fontlist-"):
                os.symlink(os.path.join(shared, name), os.path.join(folder, name))
    except OSError:
        return folder if os.access(folder, os.W_OK) else None
    return folder


def enter(workspace, variables):
    """Make `workspace` the current folder and HOME, and replace the whole environment."""
    old = dict(os.environ)
    kept = {
        name: value for name, value in old.items() if name in _KEPT or name.endswith(_KEPT_ENDINGS)
    }
    shared_fonts = kept.get("MPLCONFIGDIR")
    if shared_fonts and "matplotlib" not in modules:
        own = _own_matplotlib_folder(shared_fonts)
        # Without one matplotlib takes its default, below HOME.
        kept = {name: value for name, value in kept.items() if name != "MPLCONFIGDIR"}
        kept |= {"MPLCONFIGDIR": own} if own else {}
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
