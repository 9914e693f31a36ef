"""`cellblock serve --stdio`: runs, in a row and side by side, and their notifications."""

from rpc_client import refusal


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


def test_code_over_the_limit_is_refused_and_the_session_goes_on(client, session):
    client.call("session.run", session_id=session, code="x = 1")
    large = "#" * ((1 << 20) + 1)
    for method, more in (("run", {}), ("complete", {"cursor": 0}), ("is_complete", {})):
        refused = refusal(client.call, f"session.{method}", session_id=session, code=large, **more)
        assert refused.kind == "too_large" and "the limit is 1048576" in str(refused)
    largest = client.call("session.run", session_id=session, code="x" + large[2:])
    assert (largest["text"], largest["execution_count"]) == ("1", 2)


def test_the_callers_marks_come_back(client, session):
    trace = {"traceparent": "00-ab-cd-01", "request_id": "r1", "tenant": "t\u00e9"}
    assert client.call("session.run", session_id=session, code="1", trace=trace)["trace"] == trace


def test_a_run_gives_text_for_a_model_when_it_is_asked_for(client, session):
    code = "print('x' * 5000)\n6 * 7"
    result = client.call("session.run", session_id=session, code=code, model_text_bytes=300)
    assert "42" in result["model_text"] and len(result["model_text"].encode()) <= 300
    assert "model_text" not in client.call("session.run", session_id=session, code=code)


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
