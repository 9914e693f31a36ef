"""A virtual environment with the libraries that no distribution packages."""

import fcntl
import hashlib
import os
import pathlib
import subprocess

import pytest
from skips import need, skip

# pip is given no address: it asks the registry that this machine is set up for.
# pyarrow's later versions refuse the numpy of older systems when they are imported.
PACKAGES = ("plotly", "altair", "bokeh", "polars", "pyarrow<17")
PATIENCE_S = 240


def constraints():
    """The system's own numpy and pandas stay: what the tests install must go with them."""
    import numpy
    import pandas

    return f"numpy=={numpy.__version__}\npandas=={pandas.__version__}\n"


def installed(folder):
    """Make the environment once; False, with the reason told, where that does not work."""
    lock_path = folder.parent / (folder.name + ".lock")
    with open(lock_path, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done, failed = folder / "done", folder / "failed"
        if done.exists():
            return None
        if failed.exists():
            return failed.read_text()
        subprocess.run(
            ["/usr/bin/python3", "-m", "venv", "--system-site-packages", folder], check=True
        )
        (folder / "constraints").write_text(constraints())
        try:
            pip = subprocess.run(
                [
                    folder / "bin/python",
                    *"-m pip install --quiet --disable-pip-version-check -c".split(),
                    folder / "constraints",
                    *PACKAGES,
                ],
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
            )
            problem = pip.stderr if pip.returncode else None
        except subprocess.TimeoutExpired:
            problem = f"pip was not done in {PATIENCE_S} s"
        if problem is None:
            done.touch()
        else:
            failed.write_text(problem[-500:])
        return problem


def place(binary, tmp_path_factory):
    """Beside the program under test, so that it is made once; where that is read-only, apart."""
    version = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    name = f"test-libraries-{version}"
    beside = pathlib.Path(binary).resolve().parent / name
    if (beside / "done").exists():
        return beside, True
    is_writable = os.access(beside.parent, os.W_OK)
    return (beside if is_writable else tmp_path_factory.mktemp("v") / name), False


@pytest.fixture(scope="session")
def python(binary, tmp_path_factory):
    """The Python of that environment."""
    for name in ("numpy", "pandas", "matplotlib"):
        need(name, f"python3-{name}")
    need("ensurepip", "python3-venv")
    folder, is_ready = place(binary, tmp_path_factory)
    problem = None if is_ready else installed(folder)
    if problem is not None:
        skip(f"{', '.join(PACKAGES)} cannot be installed here: {problem}")
    return folder / "bin/python"
