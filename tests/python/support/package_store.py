"""A folder below the build folder into which packages are installed once, for every later test."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import time

# One that failed is not tried again for so long: the other tests that want it skip at once.
RETRY_S = 600


def place(binary, tmp_path_factory, kind, requirements):
    """The folder for these requirements: beside the program under test, where others find it again;
    where that is read-only and nobody has filled it, a temporary one."""
    version = hashlib.sha256("\n".join(requirements).encode()).hexdigest()[:12]
    name = f"test-packages-{kind}-{version}"
    beside = pathlib.Path(binary).resolve().parent / name
    if (beside / "done").exists() or os.access(beside.parent, os.W_OK):
        return beside
    return tmp_path_factory.getbasetemp() / name


def fill(folder, install):
    """Call `install(folder)` unless it has been done; returns what went wrong, or None.

    `install` gives None or a sentence. Processes that want the same folder wait for the first.
    """
    if (folder / "done").exists():
        return None
    with open(folder.parent / (folder.name + ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done, failed = folder / "done", folder / "failed"
        if done.exists():
            return None
        with contextlib.suppress(FileNotFoundError):
            if time.time() - failed.stat().st_mtime < RETRY_S:
                return failed.read_text(encoding="utf-8")
        folder.mkdir(exist_ok=True)
        problem = install(folder)
        if problem is None:
            failed.unlink(missing_ok=True)
            done.touch()
        else:
            failed.write_text(problem, encoding="utf-8")
        return problem
