"""How `cellblock mcp` begins: what it refuses, and whose its descriptors are."""

import os
import subprocess

import pytest


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--policy", "policy.json"], "timeout_s"),
        (["--policy", "absent.json"], "absent.json"),
        (["--python", "/absent/python"], "/absent/python"),
        (["--preload", "no_such_package"], "no_such_package"),
        (["--helpers", "absent.py"], "absent.py"),
        (["--no-such-flag"], "mcp --help"),
    ],
)
def test_a_set_up_that_cannot_work_is_told_in_one_line(
    binary, environment, tmp_path, arguments, words
):
    (tmp_path / "policy.json").write_text('{"timeout_s": "long"}')
    # Its input stays open: it is not the end of input that ends it.
    read_end, write_end = os.pipe()
    try:
        done = subprocess.run(
            [binary, "mcp", "--no-audit-log", *arguments],
            stdin=read_end,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=120,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_its_standard_descriptors_are_nobodys(start):
    peer = start(arguments=["--preload", ""])
    peer.call("server/discover")
    links = {fd: os.readlink(f"/proc/{peer.process.pid}/fd/{fd}") for fd in (0, 1, 2)}
    assert links[0] == "/dev/null"
    assert links[1] == links[2]
    # What the protocol goes through is another pipe than what others would write to.
    assert os.readlink(f"/proc/self/fd/{peer.process.stdout.fileno()}") != links[1]


def test_the_audit_log_has_each_execution_with_the_callers_trace(start, tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "audit.log"
    traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
    peer = start(arguments=["--preload", "", "--audit-log", str(log)])
    peer.tool("execute_python", {"traceparent": traceparent}, code="1")
    assert peer.close() == 0
    assert traceparent in log.read_text()
