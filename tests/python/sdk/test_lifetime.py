"""Sessions and processes end when they should: gc, close, fork, the end of Python."""

import gc
import os
import textwrap
import time

import cellblock
import pytest


def wait_until(condition, limit=20):
    """Wait for what happens on other threads and in other processes."""
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def test_a_session_that_nobody_refers_to_is_closed():
    with cellblock.Executor(preload=[], max_sessions=1) as small:
        for _ in range(5):
            session = small.open_session()
            assert session.run("1").ok
            del session
            gc.collect()


def test_closing_an_executor_closes_its_sessions_and_ends_its_processes(descendants):
    before = descendants()
    executor = cellblock.Executor(preload=[])
    sessions = [executor.open_session() for _ in range(3)]
    running = sessions[0].start("import time\ntime.sleep(30)")
    assert descendants() > before
    executor.close()
    executor.close()
    assert executor.closed
    assert running.wait(10).status == "cancelled"
    assert all(isinstance(session.ended, cellblock.UnknownSession) for session in sessions)
    wait_until(lambda: descendants() <= before)
    with pytest.raises(cellblock.BadArgument, match="closed"):
        executor.open_session()


def test_a_dropped_executor_lives_as_long_as_its_sessions(descendants):
    before = descendants()
    session = cellblock.Executor(preload=[]).open_session()
    gc.collect()
    assert session.run("6 * 7").text == "42"
    session.close()
    wait_until(lambda: descendants() <= before)


def test_nothing_leaks(executor):
    def work():
        with executor.open_session() as session:
            session.run("print(1)", on_stdout=lambda text: None)
            session.start("print(1)", on_stdout=lambda text: None).wait()
            session.start("1")
            with pytest.raises(ZeroDivisionError):
                session.run("print(1)", on_stdout=lambda text: 1 / 0)
            session.variables()

    for _ in range(3):
        work()
    gc.collect()
    before = descriptors()
    for _ in range(15):
        work()
    gc.collect()
    # Cages that are prepared ahead come and go.
    wait_until(lambda: descriptors() <= before + 8)


def test_a_forked_child_is_told_and_makes_its_own(run_python):
    done = run_python(
        """
        import os, warnings, cellblock
        # From 3.12 on Python warns of every fork of a process with threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        executor = cellblock.Executor(preload=[])
        cellblock.set_default_executor(executor)
        session = executor.open_session()
        running = session.start("import time; time.sleep(1); 'parent'")
        cellblock.execute_code("name", "x = 1")
        if (child := os.fork()) == 0:
            calls = [lambda: session.run("1"), executor.open_session, executor.info,
                     running.wait, running.interrupt, session.variables]
            for call in calls:
                try:
                    call()
                    print("not refused", call)
                except cellblock.HostError as error:
                    assert "fork" in error.message
            assert isinstance(session.ended, cellblock.HostError) and executor.closed
            session.close()
            executor.close()
            del session, executor, running, calls, call
            cellblock.set_default_executor(cellblock.Executor(preload=[]))
            with cellblock.Session() as session:
                print(session.run("'child'").text, flush=True)
            print(cellblock.execute_code("name", "'x' in globals()").text, flush=True)
            raise SystemExit(0)
        print(os.waitpid(child, 0)[1], flush=True)
        print(running.wait().text, session.run("'still there'").text)
        print(cellblock.execute_code("name", "x").text)
        """
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["'child'", "False", "0", "'parent' 'still there'", "1"]


def test_multiprocessing_by_fork_works_beside_it(run_python):
    done = run_python(
        """
        import multiprocessing, cellblock

        def work(number):
            with cellblock.Executor(preload=[]) as executor:
                return executor.run(f"{number} * 2").text

        if __name__ == "__main__":
            session = cellblock.Executor(preload=[]).open_session()
            session.run("x = 1")
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work, [1, 2, 3]))
            print(session.run("x").text)
        """
    )
    assert (done.stderr, done.stdout) == ("", "['2', '4', '6']\n1\n")


ENDS = {
    "a session that is open": "",
    "a run that goes on": "running = session.start('while True: pass')",
    "a run with callbacks": "running = session.start('while True: print(1)', on_stdout=len)",
    "a daemon thread that waits for a run": """
        import threading, time
        threading.Thread(target=session.run, args=("while True: pass",), daemon=True).start()
        time.sleep(0.3)
    """,
    "many daemon threads": """
        import threading, time
        for _ in range(20):
            threading.Thread(target=session.run, args=("while True: pass",), daemon=True).start()
        time.sleep(0.3)
    """,
    "a run in an event loop": """
        import asyncio
        async def main():
            task = asyncio.create_task(
                cellblock.AsyncSession(executor=executor).run("while True: pass"))
            await asyncio.sleep(0.3)
        asyncio.run(main())
    """,
    "named sessions": """
        cellblock.set_default_executor(executor)
        cellblock.execute_code('name', 'x = 1')
    """,
    "a reference cycle": "session.me = session; executor.me = executor; del session, executor",
    "use by an atexit function": """
        import atexit
        atexit.register(lambda: print(session.run("'at exit'").text))
    """,
    "an exception": "raise SystemExit('left')",
}


@pytest.mark.parametrize("what", ENDS)
def test_python_ends_well_with(what, run_python, tmp_path):
    script = (
        "import cellblock\nexecutor = cellblock.Executor(preload=[])\n"
        "session = executor.open_session()\nprint('opened', flush=True)\n"
    ) + textwrap.dedent(ENDS[what])
    begin = time.monotonic()
    done = run_python(script, timeout=60)
    assert time.monotonic() - begin < 20
    expected = {
        "use by an atexit function": ("opened\n'at exit'\n", "", 0),
        "an exception": ("opened\n", "left\n", 1),
    }.get(what, ("opened\n", "", 0))
    assert (done.stdout, done.stderr, done.returncode) == expected
    # Its folder for sockets and the like is gone, too.
    assert [name for name in os.listdir(tmp_path) if "cellblock" in name] == []


def test_a_killed_host_leaves_no_process(run_python, tmp_path):
    mark = f"cellblock-test-{os.getpid()}-{time.monotonic_ns()}"
    done = run_python(
        f"""
        import os, signal, cellblock
        executor = cellblock.Executor(preload=[])
        session = executor.open_session({{"env": {{"MARK": "{mark}"}}}})
        session.start("while True: pass")
        os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    assert done.returncode == -9

    def zygotes():
        found = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    with open(f"/proc/{name}/environ", "rb") as file:
                        if f"TMPDIR={tmp_path}".encode() in file.read().split(b"\0"):
                            found.append(name)
                except OSError:
                    pass
        return found

    wait_until(lambda: zygotes() == [])
