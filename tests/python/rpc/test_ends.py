"""`cellblock serve --stdio`: how sessions and the server end, and what is left of them: nothing."""

import os
import signal
import subprocess
import time

from processes import comes_true, descendants, gone
from rpc_client import RpcError, refusal
from skips import need_program


def test_a_closed_session_is_unknown(client, session):
    assert client.call("session.close", session_id=session) == {}
    error = refusal(client.call, "session.run", session_id=session, code="1")
    assert (error.code, error.kind) == (-32000, "unknown_session")
    assert refusal(client.call, "session.close", session_id="s-no").kind == "unknown_session"


def test_a_closed_input_ends_everything_at_once(client, session):
    client.send("session.run", session_id=session, code="while True: pass")
    client.send("session.run", session_id=session, code="print('never')")
    client.wait_for_notification("queued")
    processes = descendants(client.process.pid)
    assert processes
    started = time.monotonic()
    assert client.close() == 0
    assert time.monotonic() - started < 5
    assert gone(processes)


def test_a_peer_that_reads_no_more_ends_everything(client, session):
    client.process.stdout.close()
    client.send("session.run", session_id=session, code="print('x')")
    assert client.process.wait(30) == 0
    client.process.stdin.close()
    client.process.stderr.close()


def test_requests_before_the_end_of_input_are_answered(binary, environment):
    done = subprocess.run(
        [binary, "serve", "--stdio", "--no-audit-log", "--preload", ""],
        input=b'{"jsonrpc":"2.0","id":"last","method":"engine.info"}',
        capture_output=True,
        env=environment,
        timeout=60,
        check=True,
    )
    assert b'"id":"last"' in done.stdout and done.stdout.count(b"\n") == 1


def test_termination_ends_everything_too(client, session):
    processes = descendants(client.process.pid)
    client.process.terminate()
    assert client.process.wait(30) == 0
    assert gone(processes)


def wait_until_expired(client, session):
    """Ask for the session's files until that is refused; every answer counts as use."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        time.sleep(0.4)
        try:
            client.call("session.files", session_id=session)
        except RpcError as error:
            return error
    raise AssertionError("the session did not expire")


def test_an_idle_session_expires_and_says_what_to_do(client):
    session = client.call("session.open", policy={"idle_ttl_s": 0.2})["session_id"]
    error = wait_until_expired(client, session)
    assert error.kind == "expired"
    assert "idle_ttl_s" in str(error) and "open a new session" in str(error)
    assert refusal(client.call, "session.run", session_id=session, code="1").kind == "expired"
    assert refusal(client.call, "session.reset", session_id=session).kind == "expired"
    client.call("session.close", session_id=session)
    gone = refusal(client.call, "session.run", session_id=session, code="1")
    assert gone.kind == "unknown_session"


def test_a_session_past_its_lifetime_ends_its_run_and_refuses_what_waits(client):
    session = client.call("session.open", policy={"session_ttl_s": 0.5})["session_id"]
    running = client.send("session.run", session_id=session, code="while True: pass")
    waiting = client.send("session.run", session_id=session, code="1")
    result = client.answer(running)
    assert (result["status"], result["error"]["name"]) == ("cancelled", "SessionExpired")
    assert refusal(client.answer, waiting).kind == "expired"


def test_a_run_keeps_its_session_from_idling(client):
    session = client.call("session.open", policy={"idle_ttl_s": 0.2})["session_id"]
    code = "import time\ntime.sleep(1)\n3"
    assert client.call("session.run", session_id=session, code=code)["text"] == "3"


def test_a_server_that_is_killed_while_its_zygote_starts_leaves_nothing(binary, environment):
    need_program("strace")
    # Each fork and new thread takes a second to come back to the server: long enough to kill it
    # while its child waits for its word.
    delayed = ["strace", "-qq", "-o", "/dev/null", "-e", "inject=clone3:delay_exit=1000000"]
    tracer = subprocess.Popen(
        [*delayed, binary, "serve", "--stdio", "--no-audit-log", "--preload", ""],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    try:
        assert comes_true(lambda: len(descendants(tracer.pid)) == 2)
        server, child = descendants(tracer.pid)
        os.kill(server, signal.SIGKILL)
        assert gone([child])
    finally:
        tracer.stdin.close()
        tracer.wait()
