"""start(), streams, environment and shutdown, each in a process of its own."""

import pytest
from process import run_process

START = "runtime.start({'workspace': WORKSPACE, 'env': {'MY': 'own'}, 'future_key': 1})\n"


def cells(*codes):
    return START + "".join(
        f"r = runtime.execute({code!r}, {number})\nanswer(r)\n"
        for number, code in enumerate(codes, 1)
    )


def test_the_two_streams_are_kept_apart_and_take_any_text(tmp_path):
    done = run_process(
        cells(
            "import sys, os\nprint('a'); print('b', file=sys.stderr)",
            "print('ok \\ud800 📈')\nsys.stdout.buffer.write(b'\\xff raw\\n')\nos.write(1, b'c\\n')",
        ),
        tmp_path,
    )
    assert done.stdout == "a\nok \\ud800 📈\n".encode() + b"\xff raw\nc\n"
    assert done.stderr == b"b\n"
    assert [one["status"] for one in done.answers] == ["ok", "ok"]


def test_nothing_printed_is_lost_at_a_hard_exit(tmp_path):
    done = run_process(cells("import os\nprint('partial', end='')\nos._exit(7)"), tmp_path)
    assert (done.stdout, done.code) == (b"partial", 7)


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_detached_stream_is_made_anew(tmp_path, name):
    done = run_process(
        cells(
            f"import sys, io\nkept = io.TextIOWrapper(sys.{name}.detach(), write_through=True)",
            f"print('a', file=sys.{name})",
            f"sys.{name} = kept\nprint('b', file=sys.{name})",
            f"sys.{name} = sys.__{name}__",
            f"print('c', file=sys.{name})",
        ),
        tmp_path,
    )
    assert [one["status"] for one in done.answers] == ["ok"] * 5
    assert getattr(done, name) == b"a\nb\nc\n"


def test_input_fails_at_once_with_a_hint(tmp_path):
    done = run_process(
        cells("input('name? ')", "import sys\nsys.stdin.read()", "exit()", "list(sys.stdin)"),
        tmp_path,
    )
    for position in (0, 1, 3):
        error = done.answers[position]["error"]
        assert error["name"] == "EOFError" and "upload" in error["hint"]
        assert error["traceback"].count("File ") == 1
    assert done.answers[2]["status"] == "exit"


@pytest.mark.parametrize(
    "breaking",
    [
        "sys.stdout = None",
        "sys.stdout = 5",
        "sys.stdout.close()",
        "del sys.stdout",
        "sys.stdout = io.StringIO(); sys.stdout.close()",
        "sys.stdout = type('S', (), {'write': lambda s, t: 1 / 0})()",
    ],
)
def test_a_broken_stdout_is_put_back_for_the_next_cell(tmp_path, breaking):
    done = run_process(cells(f"import io, sys\n{breaking}", "print('next')"), tmp_path)
    assert [one["status"] for one in done.answers] == ["ok", "ok"]
    assert done.stdout == b"next\n"


def test_a_users_own_stdout_stays_and_is_flushed(tmp_path):
    done = run_process(
        cells(
            "import io, os, sys\nsys.stdout = open(1, 'w', closefd=False)\nprint('one')",
            "os._exit(0)",
        ),
        tmp_path,
    )
    assert done.stdout == b"one\n"
    done = run_process(
        cells("import io, sys\nsys.stdout = io.StringIO()\nprint('kept')", "sys.stdout.getvalue()"),
        tmp_path,
    )
    assert done.answers[1]["text"] == repr("kept\n")


def test_the_environment_is_exactly_what_the_policy_says(tmp_path):
    done = run_process(
        cells(
            "import os, time\n(sorted(os.environ), os.getcwd(), os.environ['HOME'], time.tzname)"
        ),
        tmp_path,
        SECRET="s",
        OMP_NUM_THREADS="1",
    )
    names = ["HOME", "LANG", "MPLBACKEND", "MY", "OMP_NUM_THREADS", "TZ"]
    folder = str(tmp_path)
    assert done.answers[0]["text"] == repr((names, folder, folder, ("UTC", "UTC")))


def test_modules_in_the_workspace_are_importable_and_count_as_the_users(tmp_path):
    (tmp_path / "mine.py").write_text("def f():\n    return 1 / 0\n")
    done = run_process(cells("import mine\nmine.f()"), tmp_path)
    assert "return 1 / 0" in done.answers[0]["error"]["traceback"]


def test_forks_get_random_numbers_of_their_own(tmp_path):
    script = """
import random
runtime.preload(["numpy"])
code = "import random, tempfile\\n(random.random(), tempfile.mktemp())"
for i in range(2):
    pid = os.fork()
    if not pid:
        runtime.start({"workspace": WORKSPACE})
        answer(runtime.execute(code, 1)["text"])
        numbers = "import numpy\\nnumpy.random.rand()"
        answer(runtime.execute(numbers, 2)["text"] or os.urandom(9).hex())
        os._exit(0)
    os.waitpid(pid, 0)
"""
    answers = run_process(script, tmp_path).answers
    assert len(set(answers)) == 4


def test_getsource_finds_classes_of_cells(tmp_path):
    done = run_process(
        cells(
            "class P:\n    x = 1",
            "class Q:\n    def f(self): return 5",
            "import inspect\nprint(inspect.getsource(P) + inspect.getsource(Q))",
        ),
        tmp_path,
    )
    assert done.stdout == b"class P:\n    x = 1\nclass Q:\n    def f(self): return 5\n\n"


def test_shutdown_runs_exit_functions(tmp_path):
    code = "import atexit\natexit.register(print, 'bye')\natexit.register(lambda: 1 / 0)"
    done = run_process(cells(code) + "runtime.shutdown()\nos._exit(0)", tmp_path)
    assert done.stdout == b"bye\n"


def test_an_unprintable_exit_message_or_full_memory_leaves_a_working_session(tmp_path):
    script = (
        "import resource\n"
        + START
        + """
limit = 400 << 20
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
answer(runtime.execute("b = []\\nwhile True: b.append(bytearray(1_000_000))", 1))
answer(runtime.execute("1 + 1", 2))
answer(runtime.execute("del b", 3))
answer(runtime.execute("x = []\\nwhile True: x.append(x.copy())", 4))
answer(runtime.execute("2 + 2", 5))
"""
    )
    answers = run_process(script, tmp_path).answers
    for position in (0, 3):
        assert answers[position]["cause"] == "memory" and answers[position]["error"]["hint"]
    assert (answers[1]["text"], answers[4]["text"]) == ("2", "4")


def test_preload_leaves_no_thread_and_no_descriptor(tmp_path):
    script = """
before = os.listdir("/proc/self/fd")
told = runtime.preload(["numpy", "pandas", "matplotlib", "not_there_at_all"])
answer(sorted(told["loaded"]) + sorted(told["missing"]))
answer([os.listdir("/proc/self/fd") == before, len(os.listdir("/proc/self/task"))])
answer(told["missing"]["not_there_at_all"])
answer(len(sent))
modules = set(sys.modules)
runtime.start({"workspace": WORKSPACE})
runtime.execute("def f(): return 1 / 0\\nf()", 1)
runtime.execute("{'a': [1, 2]}", 2)
answer(sorted(set(sys.modules) - modules))
"""
    pinned = dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_MAX_THREADS", "NUMEXPR_NUM_THREADS"),
        "1",
    )
    answers = run_process(script, tmp_path, **pinned).answers
    expected = ["matplotlib", "not_there_at_all", "numpy", "pandas"]
    assert sorted(answers[0]) == expected
    assert answers[1] == [True, 1]
    assert answers[2] == "not installed"
    assert answers[3] == 0
    assert answers[4] == []


def test_the_package_runs_from_memory_without_any_file(tmp_path):
    script = """
for name in [name for name in sys.modules if name.startswith("cellblock_runtime")]:
    del sys.modules[name]
import importlib.abc, importlib.util, pathlib
folder = pathlib.Path(sys.path.pop(0)) / "cellblock_runtime"
sources = {file.stem: file.read_text() for file in folder.glob("*.py")}
class Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        package, _, part = name.partition(".")
        if package == "cellblock_runtime" and (part or "__init__") in sources:
            return importlib.util.spec_from_loader(name, self, is_package=not part)
    def exec_module(self, module):
        part = module.__name__.partition(".")[2] or "__init__"
        exec(compile(sources[part], f"<cellblock {part}>", "exec"), vars(module))
sys.meta_path.insert(0, Loader())
import cellblock_runtime as runtime
runtime.preload(["matplotlib"])
runtime.start({"workspace": WORKSPACE})
answer(runtime.execute("def f(): return 1 / 0\\nf()", 1)["error"]["traceback"])
"""
    (trace,) = run_process(script, tmp_path).answers
    assert trace.count("File ") == 2 and "<cellblock" not in trace


def test_a_package_that_fails_to_import_is_missing_with_its_reason(tmp_path):
    (tmp_path / "broken_one.py").write_text("raise RuntimeError('no luck')\n")
    (tmp_path / "needy.py").write_text("import not_there_at_all\n")
    script = "sys.path.insert(0, WORKSPACE)\nanswer(runtime.preload(['broken_one', 'needy']))"
    missing = run_process(script, tmp_path).answers[0]["missing"]
    assert missing == {"broken_one": "RuntimeError: no luck", "needy": "needs not_there_at_all"}
