"""`cellblock serve --stdio`: sessions, runs side by side, notifications, the end."""

import base64
import os
import signal
import subprocess
import time

import pytest
from processes import comes_true, descendants, gone
from rpc_client import Client, RpcError
from skips import need_program


@pytest.fixture
def start(binary, environment):
    """Start a server without preloaded packages, which starts faster."""
    clients = []

    def start_server(*arguments):
        client = Client(binary, ["--no-audit-log", "--preload", "", *arguments], environment)
        clients.append(client)
        return client

    yield start_server
    for client in clients:
        if client.process.stdout.closed:
            continue
        client.close()


@pytest.fixture
def client(start):
    """A server and its client."""
    return start()


@pytest.fixture
def session(client):
    """The id of an open session."""
    return client.call("session.open")["session_id"]


def refusal(call, *arguments, **params):
    """The error that a call must end with."""
    with pytest.raises(RpcError) as caught:
        call(*arguments, **params)
    return caught.value


def test_engine_info_says_what_runs(client):
    info = client.call("engine.info")
    assert info["executor"] == "fork"
    assert info["python_version"].startswith("3.")
    assert info["preloaded"] == {} and info["missing"] == {}


def test_the_tool_is_defined_from_a_policy(client):
    schema = client.call("engine.tool_schema", format="openai", policy={"timeout_s": 7})
    function = schema["function"]
    assert function["name"] == "execute_python"
    assert function["parameters"]["properties"]["timeout_seconds"]["default"] == 7
    everything = client.call("engine.tool_schema")
    assert everything["policy"]["timeout_s"] == 30 and everything["prompt"]
    assert refusal(client.call, "engine.tool_schema", format="xml").kind == "bad_argument"
    wrong = refusal(client.call, "engine.tool_schema", policy={"x": 1})
    assert wrong.kind == "policy_invalid"


def test_a_session_opens_with_its_isolation_and_start_time(client):
    opened = client.call("session.open", policy={"timeout_s": 5}, executor="fork")
    assert opened["session_id"]
    assert opened["start_ms"] > 0
    assert {"name", "on", "detail"} == set(opened["isolation"]["layers"][0])


def test_runs_share_the_namespace_and_give_whole_results(client, session):
    client.call("session.run", session_id=session, code="x = 6")
    result = client.call("session.run", session_id=session, code="print('out')\nx * 7")
    assert (result["status"], result["text"], result["stdout"]) == ("ok", "42", "out\n")
    assert result["session_id"] == session and result["execution_count"] == 2


def test_streams_are_notified_before_the_answer(client, session):
    code = "import sys\nprint('a', flush=True)\nprint('b', file=sys.stderr)\nprint('c')"
    result = client.call("session.run", session_id=session, code=code)
    told = [n["params"] for n in client.notifications if n["method"] == "stream"]
    assert {p["session_id"] for p in told} == {session}
    assert {p["execution_id"] for p in told} == {result["execution_id"]}
    for name in ("stdout", "stderr"):
        assert "".join(p["text"] for p in told if p["name"] == name) == result[name]


def test_a_stream_comes_while_the_cell_runs(client, session):
    run = client.send(
        "session.run", session_id=session, code="print('now', flush=True)\nimport time\n"
        "time.sleep(600)", timeout_s=30,
    )  # fmt: skip
    assert client.wait_for_notification("stream")["text"].startswith("now")
    client.call("session.interrupt", session_id=session)
    assert client.answer(run)["status"] == "cancelled"


def test_display_data_is_notified(client, session):
    result = client.call("session.run", session_id=session, code="display({'a': 1})\n2")
    told = [n["params"] for n in client.notifications if n["method"] == "display"]
    assert [p["result"] for p in told] == result["results"]
    assert told[0]["execution_id"] == result["execution_id"]


def test_runs_of_one_session_queue_in_order_and_are_told_their_place(client, session):
    first = client.send(
        "session.run", session_id=session, code="order = [1]\nimport time\ntime.sleep(0.5)"
    )
    rest = [
        client.send("session.run", session_id=session, code=f"order.append({n})") for n in (2, 3)
    ]
    last = client.call("session.run", session_id=session, code="order")
    assert last["text"] == "[1, 2, 3]"
    assert client.answer(first)["execution_count"] == 1
    assert [client.answer(r)["execution_count"] for r in rest] == [2, 3]
    queued = [n["params"] for n in client.notifications if n["method"] == "queued"]
    assert queued and all(p["session_id"] == session and p["position"] >= 1 for p in queued)


def test_runs_of_different_sessions_go_side_by_side(client, session):
    other = client.call("session.open")["session_id"]
    long = client.send(
        "session.run", session_id=session, code="import time; time.sleep(600)", timeout_s=30
    )
    assert client.call("session.run", session_id=other, code="1 + 1")["text"] == "2"
    assert long not in client.answers
    assert client.call("session.interrupt", session_id=session) == {"interrupted": True}
    result = client.answer(long)
    assert (result["status"], result["exit_code"]) == ("cancelled", 130)
    assert client.call("session.interrupt", session_id=session) == {"interrupted": False}


def test_an_interrupt_right_behind_its_run_is_not_lost(client, session):
    for _ in range(10):
        run = client.send("session.run", session_id=session, code="while True: pass", timeout_s=20)
        client.send("session.interrupt", session_id=session)
        assert client.answer(run)["status"] == "cancelled"


def test_a_queued_run_can_be_interrupted_by_its_id(client, session):
    client.send("session.run", session_id=session, code="import time; time.sleep(600)")
    waiting = client.send("session.run", session_id=session, code="ran = True")
    queued = client.wait_for_notification("queued")
    done = client.call("session.interrupt", session_id=session, execution_id=queued["execution_id"])
    assert done == {"interrupted": True}
    assert client.answer(waiting)["status"] == "cancelled"
    client.call("session.interrupt", session_id=session)
    assert client.call("session.run", session_id=session, code="ran")["status"] == "error"


def test_a_timeout_is_taken_and_clamped(client):
    session = client.call("session.open", policy={"timeout_s": 1})["session_id"]
    result = client.call(
        "session.run", session_id=session, code="import time; time.sleep(60)", timeout_s=3000
    )
    assert (result["status"], result["exit_code"]) == ("timeout", 124)
    assert result["policy_events"]["timeout_clamped"] == 1


def test_the_callers_marks_come_back(client, session):
    trace = {"traceparent": "00-ab-cd-01", "request_id": "r1", "tenant": "t\u00e9"}
    assert client.call("session.run", session_id=session, code="1", trace=trace)["trace"] == trace


def test_a_run_gives_text_for_a_model_when_it_is_asked_for(client, session):
    code = "print('x' * 5000)\n6 * 7"
    result = client.call("session.run", session_id=session, code=code, model_text_bytes=300)
    assert "42" in result["model_text"] and len(result["model_text"].encode()) <= 300
    assert "model_text" not in client.call("session.run", session_id=session, code=code)


def test_reset_forgets_variables_and_keeps_files(client, session):
    client.call("session.run", session_id=session, code="x = 1\nopen('f', 'w').close()")
    client.call("session.reset", session_id=session)
    assert client.call("session.variables", session_id=session) == {"variables": []}
    assert [f["path"] for f in client.call("session.files", session_id=session)["files"]] == ["f"]


def test_variables_completion_and_inspection_see_the_namespace(client, session):
    client.call("session.run", session_id=session, code="def féte(n):\n    'Docs.'\nnumber = 4")
    variables = client.call("session.variables", session_id=session)["variables"]
    assert {"name": "number", "type": "int", "summary": "int = 4"}.keys() == variables[-1].keys()
    assert "number" in [v["name"] for v in variables]
    completed = client.call("session.complete", session_id=session, code="é = fét", cursor=7)
    assert completed["matches"][0].startswith("féte")
    assert (completed["start"], completed["end"]) == (4, 7)
    inspected = client.call("session.inspect", session_id=session, code="féte", cursor=2)
    assert inspected["found"] and "Docs." in inspected["text"]


def test_is_complete_tells_blocks(client, session):
    def ask(code):
        return client.call("session.is_complete", session_id=session, code=code)

    assert ask("1 + 1")["status"] == "complete"
    assert ask("for i in x:\n") == {"status": "incomplete", "indent": "    "}
    assert ask("1 +* 1")["status"] == "invalid"


def test_long_output_can_be_paged(client, session):
    code = "for i in range(5000): print('row', i)"
    result = client.call("session.run", session_id=session, code=code)
    assert result["truncated"]["stdout"]["omitted_bytes"] > 0
    text, offset = "", 0
    while True:
        page = client.call(
            "session.output",
            session_id=session,
            execution_id=result["execution_id"],
            stream="stdout",
            offset=offset,
            limit=10_000,
        )
        text, offset = text + page["text"], page["next_offset"]
        if offset >= page["total_bytes"]:
            break
    assert text == "".join(f"row {i}\n" for i in range(5000))
    matching = client.call(
        "session.output",
        session_id=session,
        execution_id=result["execution_id"],
        pattern="^row 49[0-9]0$",
    )
    assert matching["text"].splitlines() == [f"row 49{i}0" for i in range(10)]


def test_files_go_in_and_out_in_pieces(client, session):
    data = bytes(range(256)) * 1000
    half = len(data) // 2
    for append, piece in ((False, data[:half]), (True, data[half:])):
        done = client.call(
            "session.upload",
            session_id=session,
            path="in/data.bin",
            data_base64=base64.b64encode(piece).decode(),
            append=append,
        )
        assert done == {"path": "in/data.bin"}
    run = client.call(
        "session.run", session_id=session, code="len(open('in/data.bin', 'rb').read())"
    )
    assert run["text"] == str(len(data))
    got, page = b"", {"next_offset": 0, "at_end": False}
    while not page["at_end"]:
        page = client.call(
            "session.download",
            session_id=session,
            path="in/data.bin",
            offset=page["next_offset"],
            limit=100_000,
        )
        piece = base64.b64decode(page["data_base64"], validate=True)
        assert len(piece) == page["size"]
        got += piece
    assert got == data


def test_a_context_shares_the_files_and_runs_beside_its_session(client, session):
    context = client.call("session.open", share=session)["session_id"]
    assert context != session
    client.call("session.run", session_id=session, code="x = 1\nopen('a', 'w').write('shared')")
    seen = "'x' in globals(), open('a').read()"
    run = client.call("session.run", session_id=context, code=seen)
    assert (run["session_id"], run["text"]) == (context, "(False, 'shared')")
    waiting = client.send(
        "session.run",
        session_id=session,
        code="import os, time\nwhile not os.path.exists('go'): time.sleep(0.01)\nx",
    )
    client.call("session.run", session_id=context, code="open('go', 'w').close()")
    assert client.answer(waiting)["text"] == "1"
    client.call("session.close", session_id=session)
    assert refusal(client.call, "session.open", share=session).kind == "unknown_session"
    further = client.call("session.open", share=context)["session_id"]
    run = client.call("session.run", session_id=further, code="open('a').read()")
    assert run["text"] == "'shared'"


def test_a_context_takes_everything_from_the_session_that_it_shares(client, session):
    for name, value in (("policy", {}), ("executor", "fork"), ("python", "/usr/bin/python3")):
        refused = refusal(client.call, "session.open", share=session, **{name: value})
        assert refused.kind == "bad_argument" and "`share`" in str(refused)
    assert refusal(client.call, "session.open", share="s-none").kind == "unknown_session"
    assert refusal(client.call, "session.open", share=7).kind == "bad_argument"


def test_what_is_not_built_answers_unsupported(client, session):
    for method in ("checkpoint", "rollback", "branch", "save", "load"):
        assert refusal(client.call, f"session.{method}", session_id=session).kind == "unsupported"
    assert refusal(client.call, "session.open", executor="remote").kind == "unsupported"
    rollback = refusal(
        client.call, "session.run", session_id=session, code="1", on_error="rollback"
    )
    assert rollback.kind == "unsupported"


def test_a_closed_session_is_unknown(client, session):
    assert client.call("session.close", session_id=session) == {}
    error = refusal(client.call, "session.run", session_id=session, code="1")
    assert (error.code, error.kind) == (-32000, "unknown_session")
    assert refusal(client.call, "session.close", session_id="s-no").kind == "unknown_session"


def test_the_number_of_sessions_is_bounded(start):
    client = start("--max-sessions", "2")
    ids = [client.call("session.open")["session_id"] for _ in range(2)]
    assert refusal(client.call, "session.open").kind == "busy_limit"
    client.call("session.close", session_id=ids[0])
    deadline = time.monotonic() + 30
    while True:  # the place is free when the session's processes have ended
        try:
            client.call("session.open")
            break
        except RpcError as error:
            assert error.kind == "busy_limit" and time.monotonic() < deadline


def test_the_servers_policy_is_that_of_sessions_without_one(start, tmp_path):
    policy = tmp_path / "policy.json"
    policy.write_text('{"timeout_s": 0.5}', encoding="utf-8")
    client = start("--policy", str(policy))
    session = client.call("session.open")["session_id"]
    sleep = "import time; time.sleep(60)"
    assert client.call("session.run", session_id=session, code=sleep)["status"] == "timeout"


def test_a_flood_of_output_that_nobody_reads_does_not_stop_other_sessions(client, session):
    other = client.call("session.open", policy={"timeout_s": 60})["session_id"]
    flood = "for i in range(100_000): print('x' * 100)"
    runs = [client.send("session.run", session_id=session, code=flood)]
    # Nothing is read in the meantime; the file says that the other session ran.
    runs.append(
        client.send("session.run", session_id=other, code="open('done', 'w').write('yes'); None")
    )
    results = [client.answer(run) for run in runs]
    assert [r["status"] for r in results] == ["ok", "ok"]
    told = [n["params"] for n in client.notifications if n["method"] == "stream"]
    assert sum(len(p["text"]) for p in told) == 101 * 100_000


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
