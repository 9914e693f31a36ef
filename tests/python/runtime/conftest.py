"""Puts the runtime on sys.path, with a host of its own that keeps what is displayed."""

import pathlib
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

sent = []
host = types.ModuleType("_cellblock_session")
host.send_display = lambda body, attachments: sent.append((body, attachments))
host.stop_threads = lambda: None
sys.modules["_cellblock_session"] = host


class Runner:
    """A session in this process, without taking over its descriptors."""

    def __init__(self, session):
        self.session = session
        self.count = 0
        self.variables = []

    def __call__(self, code, imports=()):
        self.count += 1
        sent.clear()
        self.reply = self.session.execute(code, self.count, imports)
        if self.reply["variables"] is None:  # as the host does
            self.reply["variables"] = self.variables
        self.variables = self.reply["variables"]
        self.results = sent[:]
        return self.reply

    @property
    def namespace(self):
        return self.session.namespace


@pytest.fixture
def make_run():
    from cellblock_runtime import after_import
    from cellblock_runtime.session import Session

    after_import.install()
    main = sys.modules["__main__"]
    streams = sys.stdin, sys.stdout, sys.stderr
    sessions = []

    def make(**config):
        session = Session(config)
        sessions.append(session)
        sys.modules["__main__"] = session.main
        return Runner(session)

    yield make
    for session in sessions:
        session.reset()
        session.forget()
    sys.modules["__main__"] = main
    sys.stdin, sys.stdout, sys.stderr = streams


@pytest.fixture
def run(make_run):
    """run(code) executes a cell and returns its reply; run.results are its displays."""
    return make_run()
