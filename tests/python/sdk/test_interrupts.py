"""Ctrl-C in the host program: the run ends, and KeyboardInterrupt is raised."""

import textwrap

import pytest

PRELUDE = """
import os, signal, threading, time
import cellblock
# Whoever runs these tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
executor = cellblock.Executor(preload=[])
session = executor.open_session()

def ctrl_c(text=None):
    os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.fixture
def check(run_python):
    """Run a script after the prelude; it must end well and print exactly what is expected."""

    def run(script, expected):
        done = run_python(PRELUDE + textwrap.dedent(script))
        assert (done.returncode, done.stdout.split(), done.stderr) == (0, expected.split(), "")

    return run


def test_ctrl_c_interrupts_the_run_and_raises(check):
    check(
        """
        session.run("kept = 1")
        threading.Timer(0.5, ctrl_c).start()
        begin = time.monotonic()
        try:
            session.run("while True: pass")
        except KeyboardInterrupt:
            print("raised", time.monotonic() - begin < 10)
        print(session.run("kept").text)
        """,
        "raised True 1",
    )


def test_ctrl_c_in_a_callback_does_the_same(check):
    check(
        """
        try:
            session.run("print(1, flush=True)\\nwhile True: pass", on_stdout=ctrl_c)
        except KeyboardInterrupt:
            print("raised")
        print(session.run("2").text)
        """,
        "raised 2",
    )


def test_ctrl_c_ends_the_wait_for_a_started_run(check):
    check(
        """
        for options in ({}, {"on_stdout": print}):
            running = session.start("while True: pass", **options)
            threading.Timer(0.3, ctrl_c).start()
            try:
                running.wait()
            except KeyboardInterrupt:
                print("raised", running.wait(20).status)
        """,
        "raised cancelled raised cancelled",
    )


def test_a_second_ctrl_c_does_not_wait_for_the_end(check):
    check(
        """
        stubborn = executor.open_session({"grace_s": 6, "timeout_s": 60})
        threading.Timer(0.5, ctrl_c).start()
        threading.Timer(1.0, ctrl_c).start()
        begin = time.monotonic()
        try:
            stubborn.run("sum(range(10**12))")  # C code that does not listen
        except KeyboardInterrupt:
            print("raised", 1 <= time.monotonic() - begin < 5)
        """,
        "raised True",
    )


def test_ctrl_c_is_heard_in_other_calls(check):
    check(
        """
        running = session.start("while True: pass")
        threading.Timer(0.3, ctrl_c).start()
        try:
            session.variables()  # waits for its turn
        except KeyboardInterrupt:
            print("raised")
        running.interrupt()
        print(running.wait(20).status)
        """,
        "raised cancelled",
    )


def test_other_signal_handlers_run_while_code_does(check):
    check(
        """
        class Stop(Exception):
            pass

        def stop(*_):
            raise Stop

        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            session.run("while True: pass")
        except Stop:
            print("stopped")
        signal.signal(signal.SIGALRM, lambda *_: print("alarm", flush=True))
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        print(session.run("import time\\ntime.sleep(0.6)\\n'slept'").text)
        """,
        "stopped alarm 'slept'",
    )


def test_ctrl_c_from_a_terminal_reaches_the_host_only(run_python):
    # The whole process group gets it, as at a terminal: a zygote that died of it would lose x.
    script = """
        session.run("x = 1")
        threading.Timer(0.5, os.killpg, (0, signal.SIGINT)).start()
        try:
            session.run("while True: pass")
        except KeyboardInterrupt:
            print("raised", session.run("x").text)
    """
    done = run_python(PRELUDE + textwrap.dedent(script), start_new_session=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "raised 1\n", "")
