"""What tests of the Python SDK share. The package is that of the build: $PYTHONPATH has it."""

import os
import pathlib
import subprocess
import sys
import textwrap

import cellblock
import pytest

assert hasattr(cellblock, "Session"), "this is not the SDK: PYTHONPATH must name <build>/python"


@pytest.fixture(scope="session")
def executor():
    """One executor without packages, for the tests that need none: it starts fast."""
    with cellblock.Executor(preload=[]) as made:
        yield made


@pytest.fixture
def session(executor):
    """A session of its own for each test."""
    with executor.open_session() as opened:
        yield opened


@pytest.fixture
def run_python(tmp_path):
    """Run a script in another Python; returns the finished process."""

    def run(script, timeout=60, **options):
        package = pathlib.Path(cellblock.__file__).absolute().parent
        environment = {
            **os.environ,
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "PYTHONPATH": str(package.parent),
        }
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script)],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=tmp_path,
            env=environment,
            **options,
        )

    return run


@pytest.fixture
def descendants():
    """The processes below this one, by number."""

    def find(root=None):
        children = {}
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = status.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(status.parent.name))
        found, todo = set(), [root or os.getpid()]
        while todo:
            for child in children.get(todo.pop(), []):
                found.add(child)
                todo.append(child)
        return found

    return find
