"""Errors as a reader sees them: traceback, cause, hint."""

import sys

import pytest


def test_only_user_frames_with_their_source(run):
    error = run("def f(n):\n    return 1 // n\nf(0)")["error"]
    assert error["name"] == "ZeroDivisionError"
    assert error["traceback"].startswith("Traceback (most recent call last):\n")
    assert error["traceback"].count("File ") == 2
    assert "return 1 // n" in error["traceback"] and "^^" in error["traceback"]
    assert "cellblock_runtime" not in error["traceback"] and "\x1b" not in error["traceback"]


def test_our_frames_between_user_frames_are_gone(run):
    code = "class C:\n    def _ipython_display_(self): raise KeyboardInterrupt\ndisplay(C())"
    trace = run(code)["error"]["traceback"]
    assert "cellblock_runtime" not in trace and trace.count("File ") == 2


def test_library_frames_are_counted_not_shown(run):
    trace = run("import json\njson.loads('{')")["error"]["traceback"]
    assert "json.loads('{')" in trace and "frames in json]" in trace
    assert trace.count("File ") == 1


def test_earlier_cells_show_their_source(run):
    run("def bad(v):\n    raise ValueError('from cell one')")
    assert "raise ValueError('from cell one')" in run("bad(1)")["error"]["traceback"]


def test_a_syntax_error_shows_line_and_caret(run):
    reply = run("x = 1\nfor i in range(3)\n    print(i)")
    assert (reply["status"], reply["cause"]) == ("error", "syntax")
    trace = reply["error"]["traceback"]
    assert 'File "<cell 1>", line 2' in trace and "for i in range(3)\n" in trace and "^" in trace
    assert "x" not in run.namespace


def test_a_syntax_error_at_run_time_is_an_exception(run):
    assert run("exec('1 +')")["cause"] == "exception"


def test_chains_and_groups_are_shown(run):
    trace = run("try:\n    {}['k']\nexcept KeyError as e:\n    raise RuntimeError('o') from e")
    trace = trace["error"]["traceback"]
    assert "direct cause" in trace and trace.index("KeyError: 'k'") < trace.index("RuntimeError: o")
    trace = run("try:\n    1/0\nexcept ZeroDivisionError:\n    undefined")["error"]["traceback"]
    assert "During handling of the above exception, another exception occurred:" in trace
    trace = run("raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])")["error"]
    trace = trace["traceback"]
    assert "ExceptionGroup: two (2 sub-exceptions)" in trace
    assert "    | ValueError: a" in trace and "    | KeyError: 'b'" in trace
    assert "raise X from None" not in run("raise ValueError('v') from None")["error"]["traceback"]


def test_notes_are_shown(run):
    code = "e = ValueError('v')\ne.add_note('see here')\nraise e"
    assert run(code)["error"]["traceback"].endswith("ValueError: v\nsee here")


@pytest.mark.parametrize(
    "code",
    [
        "def f(): return f()\nf()",
        "def f(n): return g(n + 1)\ndef g(n): return f(n + 1)\nf(0)",
        "f = lambda *a: f(*a, *a[:1])\nf(1)",
    ],
)
def test_endless_recursion_is_short(run, code):
    reply = run(code)
    assert (reply["error"]["name"], reply["cause"]) == ("RecursionError", "stack_overflow")
    assert len(reply["error"]["traceback"]) < 6000


@pytest.mark.parametrize(
    "code, cause",
    [
        ("raise MemoryError", "memory"),
        ("x = bytearray(10**15)", "memory"),
        ("import errno; raise OSError(errno.ENOSPC, 'full')", "disk_full"),
        ("import errno; raise OSError(errno.EMFILE, 'fds')", "open_files"),
        ("import errno; raise OSError(errno.EFBIG, 'big')", "file_size"),
        ('raise RuntimeError("can\'t start new thread")', "threads"),
        ("import errno; raise PermissionError(errno.EPERM, 'no')", "denied_syscall"),
        (
            "import errno\ndef fork(): raise BlockingIOError(errno.EAGAIN, 'no')  # fork\nfork()",
            "processes",
        ),
        ("import errno; raise BlockingIOError(errno.EAGAIN, 'a pipe')", "exception"),
        ("open('/nonexistent')", "exception"),
        ("1/0", "exception"),
    ],
)
def test_causes_come_from_the_closed_list(run, code, cause):
    assert run(code)["cause"] == cause


@pytest.mark.parametrize(
    "before, code, words",
    [
        ("price = 1", "print(pricee)", ["`price`"]),
        ("", "lenn('a')", ["`len`"]),
        ("", "np.zeros(3)", ["import numpy as np"]),
        ("", "math.pi", ["import math"]),
        ("", "import not_a_real_module", ["not installed"]),
        ("", "import statistcs", ["`statistics`"]),
        ("", "import wx", ["no screen", "plt.show()"]),
        ("", "'a'.uper()", ["`.upper`"]),
        ("import math", "math.sqroot(2)", ["`.sqrt`"]),
        ("", "raise MemoryError", ["chunks"]),
        ("", "def f(): return f()\nf()", ["recursion"]),
        ("", "def f():\nreturn 1", ["Indent"]),
        ("", "!pip install requests", ["cannot be installed", "standard library"]),
        ("", "%pip install requests", ["cannot be installed"]),
        ("", "!ls -la", ["no shell"]),
        ("", "x = !ls", ["no shell"]),
        ("", "ls", ["no shell"]),
        ("", "ls -la", ["no shell"]),
        ("", "cd /tmp", ["no shell"]),
        ("", "cd ..", ["no shell"]),
        ("", "mkdir out", ["no shell"]),
        ("", "x = 1\ncat 'a file.txt' | grep b", ["no shell"]),
        ("", "pip install requests", ["cannot be installed", "standard library"]),
        ("", "python -m pip install requests", ["cannot be installed"]),
        ("", "%unknown_magic 3", ["magic"]),
        ("", "len?", ["help(len)"]),
        ("", "import errno; raise OSError(errno.ENOSPC, 'x')", ["full"]),
        ("", "import errno; raise OSError(errno.EMFILE, 'x')", ["open files", "with open"]),
        ("", "import errno; raise OSError(errno.EFBIG, 'x')", ["smaller"]),
    ],
)
def test_hints_say_what_to_do(run, before, code, words):
    run(before)
    hint = run(code)["error"]["hint"]
    for word in words:
        assert word.lower() in hint.lower()


@pytest.mark.parametrize(
    "code, meant",
    [
        ("import maths", "`math`"),
        ("import jsno", "`json`"),
        ("import statisticss_", "`statistics`"),
        ("import Json", "`json`"),
        ("import sea_born_like", None),
        ("import geomath", None),
        ("import known_josn", None),
        ("import asx", None),
        ("import knwn_json", "`known_json`"),
        ("import urllib33", None),
        ("import ftpliib", "`ftplib`"),
        ("import listed_only_x", None),
        ("import scikit_learn_", None),
    ],
)
def test_only_a_slip_of_the_pen_gets_another_module(run, monkeypatch, code, meant):
    from cellblock_runtime import misspellings, packages

    monkeypatch.setattr(packages.Offer, "listed", ("listed_only_y", "sklearn", "sea_born"))
    monkeypatch.setattr(misspellings, "_REAL", frozenset(["known_josn"]))
    monkeypatch.setitem(packages.preloaded, "known_json", "1")
    monkeypatch.setattr(packages, "is_installed", lambda name: name in there)
    there = {*sys.stdlib_module_names, "known_json"}
    hint = run(code)["error"]["hint"]
    if meant is None:
        assert "did you mean" not in hint and "cannot be; installed: " in hint
    else:
        assert f"did you mean {meant}?" in hint


def test_a_package_is_told_by_the_name_that_imports_it(run, monkeypatch):
    from cellblock_runtime import packages

    there = []
    monkeypatch.setattr(packages, "is_installed", lambda name: name in there)
    assert "cannot be; installed: " in run("import scikit_learn")["error"]["hint"]
    there.append("sklearn")
    assert "did you mean `sklearn`?" in run("import scikit_learn")["error"]["hint"]


def test_a_missing_part_does_not_make_its_package_missing(run):
    hint = run("import json.nothing")["error"]["hint"]
    assert hint == "`json` is installed, but there is no `json.nothing` in it."


def test_what_stands_in_for_a_package_is_not_listed_as_installed(run, monkeypatch):
    from cellblock_runtime import packages

    monkeypatch.setattr(packages.Offer, "listed", ("IPython",))
    monkeypatch.setattr(packages, "_find_spec", lambda name: None)
    assert run("from IPython.display import HTML")["status"] == "ok"
    hint = run("import not_a_real_module")["error"]["hint"]
    assert "installed: " in hint and "IPython" not in hint


@pytest.mark.parametrize(
    "code",
    ["cat = (3", "rm + 1", "pip.main", "echo = = 1", "cd / 2", "git(1)", "touch - 1", "cat in []"],
)
def test_python_with_the_name_of_a_command_is_not_taken_for_it(run, code):
    hint = run(code)["error"]["hint"] or ""
    assert "shell" not in hint and "installed" not in hint


def test_a_missing_name_in_a_new_session_is_to_be_defined(run):
    assert "define it in this cell" in run("known = 1\nfarewell_price")["error"]["hint"]
    assert "state is kept" in run("farewell_price")["error"]["hint"]
    run.session.reset()
    run("for in")
    assert "define it in this cell" in run("farewell_price")["error"]["hint"]


def test_only_an_import_that_would_work_is_advised(run, monkeypatch):
    from cellblock_runtime.packages import Offer

    assert "write `import socket` first" in run("socket.socket()")["error"]["hint"]
    monkeypatch.setattr(Offer, "allows", lambda name: False)
    assert "import" not in run("socket.socket()")["error"]["hint"]
    assert "import" not in run("np.zeros(3)")["error"]["hint"]


@pytest.mark.parametrize("is_library", [False, True])
def test_a_missing_name_in_a_module_is_not_looked_for_in_the_session(
    run, tmp_path, monkeypatch, is_library
):
    from cellblock_runtime import tracebacks

    name = f"module_with_a_gap_{is_library}"
    (tmp_path / f"{name}.py").write_text("def f(): return farewell_price")
    monkeypatch.syspath_prepend(tmp_path)
    if is_library:
        monkeypatch.setattr(tracebacks, "_library_paths", (str(tmp_path),))
    assert run(f"import {name}\n{name}.f()")["error"]["hint"] is None


@pytest.mark.parametrize("code", ["raise NameError('a b c')", "raise UnboundLocalError('odd')"])
def test_an_error_without_a_name_gets_no_hint_about_one(run, code):
    assert run(code)["error"]["hint"] is None


def test_a_local_name_without_a_value_is_explained(run):
    text = run("total = 0\ndef add():\n    total += 1\nadd()")["error"]["hint"]
    assert "`total`" in text and "global total" in text
    text = run("def f():\n    def g(): return x\n    g()\n    x = 1\nf()")["error"]["hint"]
    assert text == "`x` has no value yet where the inner function is called: assign it before."


UNRESOLVED = "import socket\ntry:\n    raise socket.gaierror(-3, 'name resolution')\n"


@pytest.mark.parametrize(
    "code",
    [
        "raise OSError(97, 'Address family not supported by protocol')",
        "raise OSError(101, 'Network is unreachable')",
        "import socket\nraise socket.gaierror(-3, 'Temporary failure in name resolution')",
        UNRESOLVED + "except OSError as e:\n    from urllib.error import URLError\n"
        "    raise URLError(e)",
        UNRESOLVED + "except OSError as e:\n    from http.client import HTTPException\n"
        "    raise HTTPException('no') from e",
        "raise FileNotFoundError('https://example.com/a.csv not found.')",
    ],
)
def test_a_connection_that_a_library_tries_is_told_of_no_network(run, code):
    assert "no network" in run(code)["error"]["hint"]


@pytest.mark.parametrize(
    "code",
    [
        UNRESOLVED + "except OSError:\n    1 / 0",
        "from urllib.error import URLError\nraise URLError('unknown url type: x')",
        "raise FileNotFoundError('file:///x not found.')",
    ],
)
def test_what_does_not_come_of_the_network_is_not_blamed_on_it(run, code):
    assert run(code)["error"]["hint"] is None


def test_a_line_of_a_megabyte_does_not_bury_the_error(run):
    for code in ("x = '" + "a" * 1_000_000 + "'; 1 / 0", "y = '" + "a" * 1_000_000 + "' 1"):
        trace = run(code)["error"]["traceback"]
        assert len(trace) <= 16 * 1024 and trace.rstrip().split("\n")[-1].endswith(
            ("division by zero", "invalid syntax")
        )


def test_a_missing_column_names_the_columns(run):
    pytest.importorskip("pandas")
    run("import pandas as pd\ndf = pd.DataFrame({'price': [1], 'city': ['a']})")
    error = run("df['prices']")["error"]
    assert "'price', 'city'" in error["hint"] and "Did you mean 'price'?" in error["hint"]
    assert "in pandas]" in error["traceback"] and ".pyx" not in error["traceback"]
    assert error["traceback"].count("KeyError") == 1
    assert "`.price`" in run("df.pricee")["error"]["hint"]


def test_an_interrupted_row_loop_is_told_to_vectorise(run):
    code = "def iterrows(): raise KeyboardInterrupt\nclass df: iterrows = iterrows\n"
    reply = run(code + "for i in df.iterrows(): pass")
    assert reply["interrupted"] and "vector" in reply["error"]["hint"]


@pytest.mark.parametrize(
    "words",
    [
        "module _x does not support loading in subinterpreters",
        "Interpreter change detected - this module can only be loaded into one interpreter per "
        "process.",
    ],
)
def test_a_package_that_wants_the_main_interpreter_is_told_which_to_choose(run, words):
    error = run(f"raise ImportError({words!r})")["error"]
    assert 'interpreter "main"' in error["hint"]


@pytest.mark.parametrize(
    "end",
    [
        "raise MemoryError",
        "1 / 0",
        "raise SystemExit(2)",
        "raise KeyboardInterrupt",
        "{}['a']",
        "nmae",
        "class Sly(Exception):\n        def __str__(self): 1 / 0\n    raise Sly",
    ],
)
def test_what_a_failed_cell_held_is_let_go_of(run, end):
    run("import gc, weakref\nclass Big: pass\ngc.collect(); gc.disable()")
    body = f"    global held\n    big = Big()\n    held = weakref.ref(big)\n    {end}\n"
    run(f"def hold():\n{body}hold()")
    assert run("gc.enable()\nheld() is None")["text"] == "True"
