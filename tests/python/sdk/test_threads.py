"""Many threads at once: the GIL is free while code runs, and nothing is mixed up."""

import threading
import time

import cellblock


def run_in_threads(count, work):
    """Run `work(number)` in threads; what one raises is raised here."""
    failures = []

    def guarded(number):
        try:
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def test_the_gil_is_free_while_code_runs(session):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    session.run("import time\ntime.sleep(1)")
    stop.set()
    ticker.join()
    assert len(ticks) > 10


def test_sessions_run_side_by_side(executor):
    # Each waits for the other's file: one after the other, both would time out.
    with executor.open_session() as one, executor.open_session() as other:
        pair = [one, other]
        code = "import os, time\nprint('in', flush=True)\nwhile not os.path.exists('go'): pass"

        def work(number):
            mate = pair[1 - number]
            result = pair[number].run(code, 20, on_stdout=lambda text: mate.upload("go", b""))
            assert result.status == "ok"

        run_in_threads(2, work)


def test_runs_of_one_session_take_turns(session):
    session.run("seen = []")

    def work(number):
        for i in range(5):
            told = []
            result = session.run(
                f"seen.append({number}); print({number}, {i})", on_stdout=told.append
            )
            assert "".join(told) == result.stdout == f"{number} {i}\n"

    run_in_threads(8, work)
    assert session.run("len(seen)").text == "40"


def test_threads_open_use_and_close_sessions(executor):
    def work(number):
        for i in range(3):
            with executor.open_session() as session:
                session.upload("n.txt", str(number))
                assert session.run("int(open('n.txt').read()) * 2").text == str(number * 2)

    run_in_threads(6, work)


def test_a_session_closed_by_another_thread_ends_the_run(executor):
    session = executor.open_session()
    results = []
    thread = threading.Thread(
        target=lambda: results.append(
            session.run(
                "print(1, flush=True)\nwhile True: pass", on_stdout=lambda text: started.set()
            )
        )
    )
    started = threading.Event()
    thread.start()
    assert started.wait(20)
    begin = time.monotonic()
    session.close()
    thread.join(20)
    assert time.monotonic() - begin < 10
    assert results[0].status == "cancelled"


def test_an_executor_closes_while_threads_drop_their_sessions():
    executor = cellblock.Executor(preload=[])

    def work(number):
        try:
            while True:
                executor.open_session().run("1")  # dropped at once
        except cellblock.CellblockError:
            pass  # it is closed

    closer = threading.Timer(1.0, executor.close)
    closer.start()
    run_in_threads(8, work)
    closer.join()
    assert executor.closed
