"""The shape of E2B's Code Interpreter: names, arguments and values as its users know them."""

import asyncio
import base64
import gc
import io
import json
import time

import cellblock
import pytest
from cellblock import e2b
from cellblock.e2b import AsyncSandbox, Execution, Sandbox


@pytest.fixture
def sandbox(executor):
    with Sandbox.create(executor=executor) as made:
        yield made


def test_the_first_example(executor):
    with Sandbox.create(executor=executor) as sandbox:
        sandbox.run_code("x = 1")
        execution = sandbox.run_code("x += 1; x")
        assert execution.text == "2"
        assert execution.execution_count == 2
        assert execution.error is None
    assert not sandbox.is_running()


def test_logs_are_lists_of_lines(sandbox):
    execution = sandbox.run_code(
        "import sys\nprint('a\\nb')\nprint('c', end='')\nprint('e', file=sys.stderr)"
    )
    assert execution.logs.stdout == ["a\n", "b\n", "c"]
    assert execution.logs.stderr == ["e\n"]


def test_logs_go_beyond_what_a_result_holds(sandbox):
    execution = sandbox.run_code("for i in range(20_000): print(i)")
    assert execution.logs.stdout == [f"{i}\n" for i in range(20_000)]
    assert len(execution.details.stdout) < 20_000


def test_callbacks_get_messages(sandbox):
    out, err, results, errors = [], [], [], []
    before = time.time_ns()
    sandbox.run_code(
        "import sys\nprint('o')\nprint('e', file=sys.stderr)\ndisplay(1)\n1 / 0",
        on_stdout=out.append,
        on_stderr=err.append,
        on_result=results.append,
        on_error=errors.append,
    )
    assert [(m.line, m.error, str(m)) for m in out] == [("o\n", False, "o\n")]
    assert [(m.line, m.error) for m in err] == [("e\n", True)]
    assert before <= out[0].timestamp <= time.time_ns()
    assert [(r.text, r.is_main_result) for r in results] == [("1", False)]
    assert [(e.name, e.value) for e in errors] == [("ZeroDivisionError", "division by zero")]
    assert "1 / 0" in errors[0].traceback


def test_results_have_the_names_and_types_of_e2b(sandbox):
    execution = sandbox.run_code(
        """
class All:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/html': '<b>h</b>', 'text/markdown': '*m*', 'text/latex': '$l$',
                'image/svg+xml': '<svg/>', 'application/json': {'a': 1},
                'image/png': b'\\x89PNG\\r\\n\\x1a\\nx', 'application/x-own': 'own'}
    def __repr__(self):
        return 'all'
All()
"""
    )
    (result,) = execution.results
    assert (result.text, result.html, result.markdown, result.latex, result.svg) == (
        "all",
        "<b>h</b>",
        "*m*",
        "$l$",
        "<svg/>",
    )
    assert base64.b64decode(result.png) == b"\x89PNG\r\n\x1a\nx"
    assert result.json == {"a": 1} and result.jpeg is None and result.data is None
    assert {"text", "html", "png", "svg", "json"} <= set(result.formats())
    assert result["html"] == result.html and str(result) == "Result(all)"
    assert set(result.extra) == set(result.formats()) - set(vars(result))
    assert "<b>" not in result._repr_html_()
    data = json.loads(execution.to_json())
    assert data["results"][0]["png"] == result.png
    assert json.loads(data["logs"]) == {"stdout": [], "stderr": []}


def test_charts_are_objects():
    with Sandbox.create() as sandbox:
        execution = sandbox.run_code(
            "import matplotlib.pyplot as plt\nplt.plot([1, 2], [3, 4], label='l')\n"
            "plt.title('T')\nplt.show()"
        )
    if execution.error is not None and execution.error.name == "ModuleNotFoundError":
        __import__("skips").skip("matplotlib is not installed")
    chart = execution.results[0].chart
    assert (chart.type, chart.title) == ("line", "T")
    assert chart.elements[0].label == "l"
    assert chart.elements[0].points == [(1, 3), (2, 4)]
    assert chart.to_dict()["title"] == "T"
    with pytest.raises(AttributeError, match="no 'pie'"):
        chart.pie
    assert "chart" in execution.results[0].formats()
    assert base64.b64decode(execution.results[0].png).startswith(b"\x89PNG")
    json.loads(execution.to_json())


def test_errors_are_values_of_the_execution(sandbox):
    assert sandbox.run_code("import sys; sys.exit(3)").error.name == "SystemExit"
    assert sandbox.run_code("import os; os.abort()").error.name == "SIGABRT"
    assert json.loads(sandbox.run_code("1/0").error.to_json())["name"] == "ZeroDivisionError"


def test_a_timeout_is_raised_with_what_was_done(sandbox):
    sandbox.run_code("kept = 1")
    with pytest.raises(e2b.TimeoutException, match="0.3 s") as raised:
        sandbox.run_code("print('done')\nwhile True: pass", timeout=0.3)
    assert isinstance(raised.value.execution, Execution)
    assert raised.value.execution.logs.stdout == ["done\n"]
    assert sandbox.run_code("kept", timeout=0).text == "1"


def test_code_over_the_limit_is_an_argument_that_cannot_be_taken(sandbox):
    with pytest.raises(e2b.InvalidArgumentException, match="the limit is 1048576"):
        sandbox.run_code("#" * ((1 << 20) + 1))


def test_files(sandbox):
    info = sandbox.files.write("data/in.csv", "a,b\n")
    assert (info.name, info.type, info.path) == ("in.csv", e2b.FileType.FILE, "data/in.csv")
    sandbox.files.write("/workspace/raw.bin", b"\xff\0")
    sandbox.files.write("stream.bin", io.BytesIO(b"x" * 3_000_000))
    sandbox.files.write_files([{"path": "m/1", "data": "1"}, {"path": "m/n/2", "data": "2"}])
    assert sandbox.files.read("data/in.csv") == "a,b\n"
    assert sandbox.files.read("raw.bin", format="bytes") == bytearray(b"\xff\0")
    assert b"".join(sandbox.files.read("stream.bin", format="stream")) == b"x" * 3_000_000
    assert sandbox.run_code("open('/workspace/data/in.csv').read()").text == "'a,b\\n'"
    assert [(e.name, e.type.value) for e in sandbox.files.list("/")] == [
        ("data", "dir"),
        ("m", "dir"),
        ("raw.bin", "file"),
        ("stream.bin", "file"),
    ]
    assert [entry.path for entry in sandbox.files.list("m")] == ["m/1", "m/n"]
    assert [entry.path for entry in sandbox.files.list("m", depth=2)] == ["m/1", "m/n", "m/n/2"]
    assert sandbox.files.exists("m/n") and sandbox.files.exists("m/1")
    assert not sandbox.files.exists("m/3")
    assert sandbox.files.get_info("stream.bin").size == 3_000_000
    for call in (sandbox.files.read, sandbox.files.get_info, sandbox.files.list):
        with pytest.raises(e2b.FileNotFoundException):
            call("nope")
    with pytest.raises(e2b.InvalidArgumentException, match="below the workspace"):
        sandbox.files.write("/home/user/x", "x")


def test_contexts_have_their_own_variables_and_the_same_files(sandbox):
    sandbox.run_code("x = 'own'; open('shared.txt', 'w').write('f')")
    context = sandbox.create_code_context()
    assert (context.language, context.cwd) == ("python", "/workspace")
    assert sandbox.run_code("x", context=context).error.name == "NameError"
    sandbox.run_code("x = 'context'", context=context)
    assert sandbox.run_code("x").text == "'own'"
    assert sandbox.run_code("x, open('shared.txt').read()", context=context).text == (
        "('context', 'f')"
    )
    assert [one.id for one in sandbox.list_code_contexts()] == [sandbox.sandbox_id, context.id]
    sandbox.restart_code_context(context)
    assert sandbox.run_code("x", context=context).error.name == "NameError"
    sandbox.remove_code_context(context.id)
    assert [one.id for one in sandbox.list_code_contexts()] == [sandbox.sandbox_id]
    for call in (
        lambda: sandbox.run_code("1", context=context),
        lambda: sandbox.restart_code_context("nope"),
        lambda: sandbox.remove_code_context(context),
    ):
        with pytest.raises(e2b.NotFoundException, match="no context"):
            call()
    with pytest.raises(e2b.InvalidArgumentException, match="kill"):
        sandbox.remove_code_context(sandbox.sandbox_id)


def test_a_context_has_a_folder_of_its_own(sandbox):
    sandbox.files.write("sub/in.txt", "here")
    context = sandbox.create_code_context(cwd="/workspace/sub")
    assert sandbox.run_code("open('in.txt').read()", context=context).text == "'here'"
    sandbox.restart_code_context(context)
    assert sandbox.run_code("open('in.txt').read()", context=context).text == "'here'"
    assert sandbox.run_code("open('sub/in.txt').read()").text == "'here'"
    with pytest.raises(e2b.InvalidArgumentException, match="nope"):
        sandbox.create_code_context(cwd="nope")
    with pytest.raises(cellblock.Unsupported, match="language"):
        sandbox.create_code_context(language="r")
    assert len(sandbox.list_code_contexts()) == 2


def test_killing_a_sandbox_ends_its_contexts():
    with cellblock.Executor(preload=[], max_sessions=2) as small:
        for _ in range(3):
            sandbox = Sandbox.create(executor=small)
            context = sandbox.create_code_context()
            assert sandbox.run_code("1", context=context).text == "1"
            sandbox.kill()
            with pytest.raises(e2b.NotFoundException):
                sandbox.create_code_context()


def test_envs_are_those_of_the_session(executor):
    with Sandbox.create(envs={"NAME": "value"}, executor=executor) as sandbox:
        assert sandbox.run_code("import os; os.environ['NAME']").text == "'value'"


def test_metadata_and_times_are_told(executor):
    with Sandbox.create(timeout=100, metadata={"user": "1"}, executor=executor) as sandbox:
        info = sandbox.get_info()
        assert info.metadata == {"user": "1"} and info.sandbox_id == sandbox.sandbox_id
        assert 99 < (info.end_at - info.started_at).total_seconds() < 101
        sandbox.set_timeout(1000)
        assert (sandbox.get_info().end_at - info.end_at).total_seconds() > 800
        with pytest.raises(e2b.InvalidArgumentException):
            sandbox.set_timeout(0)


def test_a_sandbox_ends_at_its_timeout_and_says_so(executor):
    sandbox = Sandbox.create(timeout=60, executor=executor)
    sandbox.set_timeout(0.2)
    end = time.monotonic() + 20
    while sandbox.is_running():
        assert time.monotonic() < end
        time.sleep(0.02)
    with pytest.raises(e2b.TimeoutException, match="timeout"):
        sandbox.run_code("1")
    assert not sandbox.kill()


def test_killing_ends_it(executor):
    sandbox = Sandbox.create(executor=executor)
    assert sandbox.kill()
    assert not sandbox.kill() and not sandbox.is_running()
    for call in (
        lambda: sandbox.run_code("1"),
        lambda: sandbox.files,
        lambda: sandbox.set_timeout(9),
    ):
        with pytest.raises(e2b.NotFoundException):
            call()


def test_a_dropped_sandbox_is_closed():
    with cellblock.Executor(preload=[], max_sessions=1) as small:
        for _ in range(3):
            assert Sandbox.create(executor=small).run_code("1").text == "1"
            gc.collect()


def test_the_operators_policy_holds(executor):
    with Sandbox.create(policy={"timeout_s": 0.3}, executor=executor) as sandbox:
        with pytest.raises(e2b.TimeoutException):
            sandbox.run_code("while True: pass", timeout=60)
    with pytest.raises(e2b.SandboxException, match="nope"):
        Sandbox.create(policy={"nope": 1}, executor=executor)


UNSUPPORTED = {
    "shell commands": lambda sandbox: sandbox.commands.run("ls"),
    "a terminal": lambda sandbox: sandbox.pty.create(),
    "git": lambda sandbox: sandbox.git.clone("x"),
    "pausing": lambda sandbox: sandbox.pause(),
    "ports": lambda sandbox: sandbox.get_host(80),
    "connecting": lambda sandbox: Sandbox.connect("id"),
    "other languages": lambda sandbox: sandbox.run_code("1", language="javascript"),
    "envs of a run": lambda sandbox: sandbox.run_code("1", envs={"A": "b"}),
    "templates": lambda sandbox: Sandbox.create("my-template"),
    "the network": lambda sandbox: Sandbox.create(allow_internet_access=True),
    "volumes": lambda sandbox: Sandbox.create(volume_mounts={"/x": "y"}),
    "removing files": lambda sandbox: sandbox.files.remove("x"),
    "watching files": lambda sandbox: sandbox.files.watch_dir("x"),
}


@pytest.mark.parametrize("what", UNSUPPORTED)
def test_what_there_is_not_says_what_to_use(what, sandbox):
    with pytest.raises(cellblock.Unsupported, match="Cellblock has no .*: .*") as raised:
        UNSUPPORTED[what](sandbox)
    assert isinstance(raised.value, e2b.SandboxException)


def test_options_of_the_service_are_taken(executor):
    with Sandbox.create(api_key="x", domain="y", request_timeout=3, executor=executor) as sandbox:
        assert sandbox.run_code("1", language="python", request_timeout=3).text == "1"
    with pytest.raises(TypeError, match="tiemout"):
        Sandbox.create(tiemout=3)


def test_the_async_sandbox_is_the_same_with_await(executor):
    async def work():
        async with await AsyncSandbox.create(executor=executor) as sandbox:
            told = []

            async def tell(message):
                await asyncio.sleep(0)
                told.append(message)

            execution = await sandbox.run_code(
                "print('o')\ndisplay(7)\n6 * 7", on_stdout=tell, on_result=tell
            )
            assert execution.text == "42" and execution.logs.stdout == ["o\n"]
            assert sorted(str(one) for one in told) == ["Result(42)", "Result(7)", "o\n"]
            await sandbox.files.write("a.txt", "x")
            assert await sandbox.files.read("a.txt") == "x"
            assert [entry.path for entry in await sandbox.files.list()] == ["a.txt"]
            assert await sandbox.files.exists("a.txt")
            context = await sandbox.create_code_context()
            assert (await sandbox.run_code("x = 1; x", context=context)).text == "1"
            assert len(await sandbox.list_code_contexts()) == 2
            await sandbox.restart_code_context(context)
            await sandbox.remove_code_context(context)
            assert await sandbox.is_running()
            await sandbox.set_timeout(30)
            with pytest.raises(e2b.TimeoutException):
                await sandbox.run_code("while True: pass", timeout=0.3)
            with pytest.raises(cellblock.Unsupported):
                sandbox.commands.run("ls")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(sandbox.run_code("while True: pass"), 0.3)
            assert (await sandbox.run_code("1")).text == "1"
            assert await sandbox.kill()
            with pytest.raises(e2b.NotFoundException):
                await sandbox.run_code("1")

    asyncio.run(work())
