"""What is told while code runs, on which thread, and what a callback's exception does."""

import threading
import time

import pytest

STEPS = """
import sys, time
for i in range(3):
    print(i, flush=True)
    print('e', i, file=sys.stderr, flush=True)
    display(i)
"""


def test_events_come_in_their_order_on_the_calling_thread(session):
    told = []

    def note(kind):
        return lambda what: told.append((kind, what, threading.current_thread()))

    result = session.run(
        STEPS, on_stdout=note("out"), on_stderr=note("err"), on_result=note("result")
    )
    assert result.ok
    assert {thread for _, _, thread in told} == {threading.current_thread()}
    assert "".join(what for kind, what, _ in told if kind == "out") == "0\n1\n2\n" == result.stdout
    assert "".join(what for kind, what, _ in told if kind == "err") == result.stderr
    shown = [what for kind, what, _ in told if kind == "result"]
    assert [data.text for data in shown] == ["0", "1", "2"]
    assert shown == result.results
    # What was printed before a display is told before it.
    first_display = [kind for kind, _, _ in told].index("result")
    before = "".join(what for kind, what, _ in told[:first_display] if kind == "out")
    assert before.startswith("0\n")


def test_output_is_told_before_the_run_ends(session):
    # The code waits for a file that only the callback makes.
    code = """
import os, time
print('ready', flush=True)
while not os.path.exists('go'):
    time.sleep(0.01)
'went'
"""
    result = session.run(code, 20, on_stdout=lambda text: session.upload("go", b""))
    assert result.text == "'went'"


def test_an_exception_in_a_callback_ends_the_run_and_is_raised(session):
    session.run("kept = 1")
    calls = []

    def fails(text):
        calls.append(text)
        raise LookupError("from the callback")

    begin = time.monotonic()
    with pytest.raises(LookupError, match="from the callback"):
        session.run("print(1, flush=True)\nwhile True: print(2)", on_stdout=fails)
    assert time.monotonic() - begin < 10
    assert len(calls) == 1
    # The run has ended, and the session goes on.
    assert session.run("kept").text == "1"


def test_an_exception_at_the_last_event_is_raised_too(session):
    with pytest.raises(ZeroDivisionError):
        session.run("1", on_result=lambda data: 1 / 0)


def test_a_slow_callback_gets_everything(session):
    got = []

    def slow(text):
        got.append(text)
        time.sleep(0.01)

    result = session.run("print('x' * 3_000_000)", on_stdout=slow)
    assert result.ok
    assert "".join(got) == "x" * 3_000_000 + "\n"


def test_a_callback_may_use_the_session(session):
    seen = []

    def look(text):
        session.upload("seen.txt", text)
        seen.append([file.path for file in session.files()])

    assert session.run("print('x')", on_stdout=look).ok
    assert seen == [["seen.txt"]]


def test_a_callback_may_run_code_in_the_same_session(session):
    inner = []
    session.run("print('x')", on_stdout=lambda text: inner.append(session.run("1 + 1").text))
    assert inner == ["2"]


def test_who_waits_is_told_its_place(session):
    positions = []
    first = session.start("import time\ntime.sleep(30)")
    second = session.start("2", on_queued=positions.append)
    first.interrupt()
    assert first.wait(20).status == "cancelled"
    assert second.wait(20).text == "2"
    assert positions[0] == 1


def test_started_runs_call_back_on_a_thread_of_their_own(session):
    threads = []
    running = session.start(
        "print(1)", on_stdout=lambda text: threads.append(threading.current_thread())
    )
    assert running.wait(20).stdout == "1\n"
    assert len(threads) == 1 and threads[0] is not threading.current_thread()


def test_an_exception_in_a_started_runs_callback_is_raised_by_wait(session):
    running = session.start("print(1, flush=True)\nwhile True: pass", on_stdout=lambda text: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        running.wait(20)
    assert session.run("1").ok
