"""Sessions: by id, the process's own, expired ones; what a caller may ask for; ends."""

import os
import signal
import time

import pytest
from mcp_client import STATELESS, text_of

NO_PACKAGES = ["--preload", ""]


@pytest.fixture(scope="module")
def short(start):
    """A server whose sessions are gone after a second without use."""
    return start(arguments=NO_PACKAGES, policy={"idle_ttl_s": 1})


def kind(result):
    return result["_meta"]["cellblock/kind"]


def test_calls_that_name_no_session_share_one(either):
    first = either.tool("execute_python", code="x = 1")["structuredContent"]["session_id"]
    assert either.tool("execute_python", code="x")["structuredContent"]["session_id"] == first
    named = either.tool("execute_python", code="x", session_id=first)
    assert named["structuredContent"]["text"] == "1"


@pytest.mark.parametrize(
    "tool, arguments",
    [
        ("execute_python", {"code": "1"}),
        ("list_variables", {}),
        ("inspect_variable", {"name": "x"}),
        ("reset_session", {}),
        ("interrupt", {}),
        ("upload_file", {"path": "a", "content": ""}),
        ("download_file", {"path": "a"}),
        ("list_files", {}),
        ("read_output", {"execution_id": "x"}),
    ],
)
def test_an_unknown_session_is_told(either, tool, arguments):
    result = either.tool(tool, session_id="s-\x1b[2Jnone", **arguments)
    assert result["isError"] and kind(result) == "unknown_session"
    assert "leave session_id out" in text_of(result) and "\x1b" not in text_of(result)


def test_an_expired_session_says_what_to_do(short):
    session_id = short.tool("execute_python", code="x = 1")["structuredContent"]["session_id"]
    time.sleep(3)
    result = short.tool("execute_python", code="x", session_id=session_id)
    assert result["isError"] and kind(result) == "expired"
    assert "expired after 1 s idle" in text_of(result)
    assert "call reset_session or leave session_id out" in text_of(result)
    reset = short.tool("reset_session", session_id=session_id)["structuredContent"]
    assert reset["is_new"] and reset["session_id"] != session_id
    fresh = short.tool("execute_python", code="1 + 1", session_id=reset["session_id"])
    assert fresh["structuredContent"]["text"] == "2"


def test_the_own_session_is_opened_again_and_that_is_told(short):
    short.tool("execute_python", code="x = 1")
    time.sleep(3)
    result = short.tool("execute_python", code="1 + 1")
    assert result["structuredContent"]["text"] == "2"
    assert "expired after 1 s idle" in text_of(result) and "gone" in text_of(result)


def test_a_caller_can_ask_for_less_time(start):
    peer = start(arguments=NO_PACKAGES, policy={"timeout_s": 60})
    result = peer.tool("execute_python", code="while True: pass", timeout_seconds=0.5)
    assert result["isError"] and result["structuredContent"]["status"] == "timeout"
    assert result["structuredContent"]["error"]["hint"] in text_of(result)


def test_more_time_is_clamped_and_told(start):
    peer = start(arguments=NO_PACKAGES, policy={"timeout_s": 1})
    quick = peer.tool("execute_python", code="1", timeout_seconds=900)
    assert not quick["isError"] and "the limit was 1 s" in text_of(quick)
    slow = peer.tool("execute_python", code="while True: pass", timeout_seconds=900)
    assert slow["structuredContent"]["status"] == "timeout"
    assert slow["structuredContent"]["usage"]["wall_ms"] < 30_000


def test_nothing_else_of_the_policy_can_be_asked_for(either):
    for name in ("policy", "cwd", "read_paths", "network", "max_memory_bytes"):
        result = either.tool("execute_python", code="1", **{name: "x"})
        assert result["isError"] and kind(result) == "bad_argument" and name in text_of(result)


def test_the_policy_of_the_operator_holds(start):
    peer = start(arguments=NO_PACKAGES, policy={"allowed_imports": ["math"]})
    assert not peer.tool("execute_python", code="import math")["isError"]
    assert peer.tool("execute_python", code="import json")["isError"]


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(child) for child in file.read().split()]


def descendants(pid):
    found = children_of(pid)
    for child in list(found):
        found += descendants(child)
    return found


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def all_gone(pids, patience_s=30):
    deadline = time.monotonic() + patience_s
    while any(alive(pid) for pid in pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("end", ["eof", "reader gone", "SIGTERM", "SIGKILL"])
def test_a_client_that_vanishes_leaves_nothing(start, tmp_path, end):
    peer = start(STATELESS, NO_PACKAGES)
    peer.send_tool(
        "execute_python", {"progressToken": 1}, code="print(1, flush=True)\nwhile True: pass"
    )
    peer.wait_for_notification("notifications/progress")
    processes = descendants(peer.process.pid)
    assert processes
    if end == "eof":
        peer.process.stdin.close()
    elif end == "reader gone":
        peer.process.stdout.close()
        peer.send("server/discover")
    else:
        os.kill(peer.process.pid, getattr(signal, end))
    begun = time.monotonic()
    status = peer.process.wait(60)
    assert time.monotonic() - begun < 20
    assert status == (-signal.SIGKILL if end == "SIGKILL" else 0)
    assert all_gone(processes)
