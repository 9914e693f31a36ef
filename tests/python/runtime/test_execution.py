"""What a cell does to its namespace, its result and its outcome."""

import pickle
import sys

import pytest


@pytest.mark.parametrize(
    "code, text",
    [
        ("1 + 1", "2"),
        ("x = 3\nx * 14", "42"),
        ("x = 3", None),
        ("None", None),
        ("41 + 1;", None),
        ("41 + 1 ;  # quiet", None),
        ("(41 +\n1) ;", None),
        ("'a;'", "'a;'"),
        ("41  # not quiet;", "41"),
        ("'é'; 'ü'", "'ü'"),
        ("if True: 5", None),
        ("", None),
        ("# only a comment", None),
        ("__name__", "'__main__'"),
        ("2**200", str(2**200)),
        ("print", "<built-in function print>"),
    ],
)
def test_the_last_expression_is_the_result(run, code, text):
    reply = run(code)
    assert (reply["status"], reply["text"]) == ("ok", text)
    assert len(run.results) == (text is not None)


def test_state_persists_and_the_namespace_is_the_real_main(run):
    run("k = 2\ndef mul(v): return v * k")
    assert run("[mul(i) for i in range(3)]")["text"] == "[0, 2, 4]"
    assert run("import __main__\n__main__.k")["text"] == "2"
    assert not {"_", "__", "In", "Out"} & set(run.namespace)


def test_the_main_result_comes_after_all_displays(run):
    run("display({'a': 1})\ndisplay('two')\n3")
    assert [body["is_main_result"] for body, _ in run.results] == [False, False, True]
    assert [body["mime"]["text/plain"] for body, _ in run.results] == ["{'a': 1}", "'two'", "3"]


def test_top_level_await_and_asyncio_run_both_work(run):
    assert run("import asyncio\nawait asyncio.sleep(0)\n7")["text"] == "7"
    assert run("async def f(): return 5\nasyncio.run(f())")["text"] == "5"
    assert run("await f()")["text"] == "5"
    assert run("[x async for x in g()]")["error"]["name"] == "NameError"
    assert run("async with asyncio.timeout(5): y = await f()\ny")["text"] == "5"


def test_stopping_the_loop_does_not_end_the_cell(run):
    run("import asyncio")
    assert run("asyncio.get_event_loop().stop()\nawait asyncio.sleep(0.01)\n5")["text"] == "5"


def test_tasks_live_on_between_cells(run):
    run("import asyncio\nq = asyncio.Queue()\nt = asyncio.create_task(q.get())\nawait q.put(3)")
    assert run("await t")["text"] == "3"


def test_an_awaited_error_shows_only_user_frames(run):
    trace = run("async def f():\n    1 / 0\nawait f()")["error"]["traceback"]
    assert trace.count("File ") == 2 and "asyncio" not in trace


def test_getsource_dataclasses_and_pickle_work_across_cells(run):
    run("def area(r):\n    return 3.14 * r * r")
    run("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int = 2")
    assert run("import linecache, inspect; linecache.checkcache()\ninspect.getsource(area)")[
        "text"
    ] == repr("def area(r):\n    return 3.14 * r * r\n")
    assert run("import pickle\npickle.loads(pickle.dumps(P(1)))")["text"] == "P(x=1, y=2)"
    assert pickle.loads(pickle.dumps(run.namespace["P"](4))).x == 4
    run("linecache.clearcache()")
    assert "3.14" in run("inspect.getsource(area)")["text"]


def test_file_names_are_unique_even_when_the_count_repeats(run):
    one = run.session.execute("def f(): raise ValueError('one')", 7)
    two = run.session.execute("def g(): raise ValueError('two')\nf()", 7)
    assert one["status"] == "ok"
    assert "raise ValueError('one')" in two["error"]["traceback"]
    assert '"<cell 7>"' in two["error"]["traceback"] and '"<cell 7.2>"' in two["error"]["traceback"]


def test_future_flags_carry_over(run):
    run("from __future__ import annotations")
    run("def f(x: Undefined): pass")
    assert run("f.__annotations__")["text"] == "{'x': 'Undefined'}"


@pytest.mark.parametrize(
    "code, exit_code",
    [
        ("raise SystemExit", 0),
        ("import sys; sys.exit(3)", 3),
        ("exit()", 0),
        ("quit(4)", 4),
        ("import sys; sys.exit('bye')", 1),
        ("raise SystemExit(10**30)", 1),
    ],
)
def test_system_exit_is_an_exit_code(run, code, exit_code, capsys):
    reply = run(code)
    assert (reply["status"], reply["cause"], reply["exit_code"]) == ("exit", "exit", exit_code)
    assert reply["error"] is None
    assert ("bye" in capsys.readouterr().err) == ("bye" in code)


def test_reset_forgets_names_and_goes_on(run):
    run("x = 5")
    run.session.reset()
    assert run("x")["error"]["name"] == "NameError"
    assert run("display(1)")["status"] == "ok"
    assert sys.modules["__main__"].__dict__ is run.namespace


def test_background_threads_are_counted(run):
    before = run("1")["threads"]
    start = (
        "import threading\ne = threading.Event()\nt = threading.Thread(target=e.wait)\nt.start()"
    )
    assert run(start)["threads"] == before + 1
    assert run("e.set()\nt.join()")["threads"] == before


@pytest.mark.parametrize("code", ["a\x00b", "'\ud800", "x = '\ud800'", "(" * 1000, "1 +" * 99999])
def test_source_that_cannot_be_compiled_is_an_error(run, code):
    reply = run(code)
    assert (reply["status"], reply["cause"]) == ("error", "syntax")
    assert run("1 + 1")["text"] == "2"


def test_windows_line_ends_are_fine(run):
    assert run("if True:\r\n    x = 1\r\nx\r\n")["text"] == "1"
