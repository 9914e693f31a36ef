"""Fences, magics and shell escapes."""

import re

import pytest


@pytest.mark.parametrize(
    "code",
    [
        "```python\nprint('fenced')\n```",
        "```\nprint('fenced')\n```",
        "\n```py\nprint('fenced')\n```\nThat prints a word.",
        "```python\nprint('fenced')",
        "```python\nx = 'fenced'\n```\nThen:\n```python\nprint(x)\n```",
        "    print('fenced')\n    x = 1",
        "%matplotlib inline\nprint('fenced')",
        "%load_ext x\n%autoreload 2\nif True:\n    %matplotlib inline\n    print('fenced')",
        "%%capture\nprint('fenced')",
    ],
)
def test_what_notebooks_accept_runs(run, code, capsys):
    assert run(code)["status"] == "ok"
    assert capsys.readouterr().out == "fenced\n"


@pytest.mark.parametrize(
    "code, value",
    [
        ("x = (10\n% 3)\nx", "1"),
        ("'''\n!ls\n%time\n```python\n'''", repr("\n!ls\n%time\n```python\n")),
        ("a = 5\na != 4", "True"),
        ("'%d' % 3", "'3'"),
    ],
)
def test_valid_python_is_never_touched(run, code, value):
    assert run(code)["text"] == value


def test_line_numbers_stay_right(run):
    trace = run("```python\nx = 1\n1 / 0\n```")["error"]["traceback"]
    assert "line 3" in trace and "1 / 0" in trace
    trace = run("%matplotlib inline\nx = 1\n1 / 0")["error"]["traceback"]
    assert "line 3" in trace


def test_time_runs_shows_and_tells(run, capsys):
    assert run("%time 2 + 3")["text"] == "5"
    assert re.fullmatch(r"Wall time: \S+ ms\n", capsys.readouterr().out)
    run("%%time\nx = 1\ny = 2")
    assert capsys.readouterr().out.count("Wall time") == 1
    assert run("a = 1\n%time b = a + 1\nb * 2")["text"] == "4"
    assert run("import asyncio\n%time await asyncio.sleep(0)\n8")["text"] == "8"
    assert capsys.readouterr().out.count("Wall time") == 2


@pytest.mark.parametrize(
    "code",
    ["!pip install x", "x = 1\n%pip install x", "!ls 'unclosed", "!echo $HOME", "%foo", "a = %b"],
)
def test_what_cannot_be_carried_out_is_refused_before_anything_runs(run, code):
    reply = run("ran = 1\n" + code)
    assert (reply["status"], reply["cause"]) == ("error", "syntax")
    assert reply["error"]["hint"] and "ran" not in run.namespace
    assert reply["error"]["traceback"].startswith('  File "<cell 1>"')
    assert reply["error"]["traceback"].count("SyntaxError") == 1
    assert reply["error"]["name"] == "SyntaxError"


def test_a_plain_syntax_error_is_not_blamed_on_a_magic(run):
    error = run("x = 5 % 3\nfor i in range(3)\n    pass")["error"]
    assert "expected ':'" in error["value"] and error["hint"] is None
