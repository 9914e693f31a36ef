"""What tests of the `cellblock` program share."""

import os
import pathlib

import pytest
from rpc_client import Client

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="session")
def binary():
    """The program under test: $CELLBLOCK_BINARY, else the release build's."""
    path = os.environ.get("CELLBLOCK_BINARY", str(ROOT / "build/release/cellblock"))
    assert os.access(path, os.X_OK), f"there is no program at {path}: build it first"
    return path


@pytest.fixture
def state(tmp_path):
    """The folder that is $XDG_STATE_HOME."""
    return tmp_path / "state"


@pytest.fixture
def environment(state):
    """An environment without the user's own state and settings, that leaves nothing behind."""
    temporary = state.parent / "tmp"
    temporary.mkdir(exist_ok=True)
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(state.parent),
        "TMPDIR": str(temporary),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "XDG_STATE_HOME": str(state),
    }


@pytest.fixture(scope="module")
def client(binary, tmp_path_factory):
    """One server with the default packages, for the tests of a module."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "LANG": "C.UTF-8",
    }
    started = Client(binary, ["--no-audit-log"], environment)
    yield started
    assert started.close() == 0
