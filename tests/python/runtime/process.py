"""A session in a process of its own, as the zygote's child would have it."""

import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
_PRELUDE = """
import json, os, sys, types
sent = []
host = types.ModuleType("_cellblock_session")
host.send_display = lambda body, attachments: sent.append((body, attachments))
host.stop_threads = lambda: None
sys.modules["_cellblock_session"] = host
sys.path.insert(0, {python!r})
import cellblock_runtime as runtime
answer_fd = os.dup({answer})
def answer(value):
    os.write(answer_fd, json.dumps(value).encode() + b"\\n")
"""


class Done:
    """What the process printed, answered, and how it ended."""

    def __init__(self, finished, answers):
        self.stdout = finished.stdout
        self.stderr = finished.stderr
        self.code = finished.returncode
        self.answers = [json.loads(line) for line in answers.splitlines()]


def run_process(script, workspace, timeout=120, **environment):
    """Run a script after the prelude; `answer(value)` in it sends JSON back."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    try:
        prelude = _PRELUDE.format(python=str(ROOT / "python"), answer=writing)
        finished = subprocess.run(
            [sys.executable, "-c", prelude + script.replace("WORKSPACE", repr(str(workspace)))],
            pass_fds=[writing],
            capture_output=True,
            timeout=timeout,
            env={**os.environ, **environment},
            cwd=workspace,
        )
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as file:
        return Done(finished, file.read())
