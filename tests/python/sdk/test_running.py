"""Executions that were started: waiting, interrupting, dropping."""

import gc
import threading

import pytest


def test_wait_gives_the_result_as_often_as_asked(session):
    running = session.start("6 * 7")
    assert running.wait().text == "42"
    assert running.wait(0) == running.wait()
    assert running.done()
    assert running.execution_id == running.wait().execution_id


def test_wait_with_a_limit_leaves_the_run_alone(session):
    running = session.start("import time\ntime.sleep(30)")
    with pytest.raises(TimeoutError):
        running.wait(0.05)
    assert not running.done()
    running.interrupt()
    assert running.wait(20).status == "cancelled"


def test_wait_with_a_limit_and_callbacks(session):
    running = session.start("import time\ntime.sleep(30)", on_stdout=print)
    with pytest.raises(TimeoutError):
        running.wait(0.05)
    running.interrupt()
    assert running.wait(20).status == "cancelled"


def test_interrupt_of_the_session_ends_what_runs(session):
    result = session.run(
        "print('in', flush=True)\nwhile True: pass", on_stdout=lambda text: session.interrupt()
    )
    assert (result.status, result.cause, result.exit_code) == ("cancelled", "caller", 130)
    session.interrupt()  # nothing runs: nothing happens
    assert session.run("1").ok


def test_a_queued_run_that_is_interrupted_never_starts(session):
    first = session.start("import time\ntime.sleep(30)")
    second = session.start("started = 1")
    second.interrupt()
    assert second.wait(20).status == "cancelled"
    first.interrupt()
    first.wait(20)
    assert "started" not in [variable.name for variable in session.variables()]


def test_several_threads_may_wait(session):
    running = session.start("import time\ntime.sleep(0.2)\n'done'")
    texts = []
    threads = [
        threading.Thread(target=lambda: texts.append(running.wait(20).text)) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert texts == ["'done'"] * 5


def test_a_running_execution_keeps_its_session_open(executor):
    running = executor.open_session().start("import time\ntime.sleep(0.3)\n'kept open'")
    gc.collect()
    assert running.wait(20).text == "'kept open'"


def test_dropping_it_does_not_stop_it(session):
    session.start("import time\ntime.sleep(0.2)\nstarted = 1")
    gc.collect()
    assert session.run("started").text == "1"


def test_dropping_one_with_callbacks_does_not_block_the_session(session):
    session.start("print('x' * 5_000_000)", on_stdout=lambda text: None)
    gc.collect()
    assert session.run("1").ok


def test_closing_the_session_cancels_it(executor):
    session = executor.open_session()
    running = session.start("import time\ntime.sleep(30)")
    session.close()
    result = running.wait(20)
    assert (result.status, result.cause) == ("cancelled", "caller")
