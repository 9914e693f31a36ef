"""`--helpers`: a module of the operator's own that every session starts with."""

import json
import subprocess

import pytest
from rpc_client import Client

PATIENCE_S = 60
MODULE = '''
"""Helpers of this house."""
import math

LIMIT = 3

def revenue(quarter, *, currency="EUR"):
    """Revenue of a quarter.

    Longer text.
    """
    return f"{LIMIT} {currency} in {quarter}"

class Ledger:
    """Entries by date."""

def _private(): pass
'''


@pytest.fixture
def run(binary, environment, tmp_path):
    def run_exec(module, *cells):
        (tmp_path / "own.py").write_text(module)
        arguments = [part for cell in cells for part in ("-c", cell)]
        return subprocess.run(
            [binary, "exec", "--json", "--helpers", "own.py", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=PATIENCE_S,
        )

    return run_exec


def results(done):
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_their_public_functions_are_there_and_are_no_variables(run):
    (result,) = results(run(MODULE, "revenue('Q1')"))
    assert result["text"] == "'3 EUR in Q1'"
    assert result["variables"] == []


def test_what_is_private_or_only_imported_there_is_not(run):
    (result,) = results(run(MODULE, "[n for n in ('math', 'LIMIT', '_private') if n in globals()]"))
    assert result["text"] == "[]"


def test_all_names_what_is_public_where_it_is_given(run):
    (result,) = results(run("__all__ = ['LIMIT']\nLIMIT = 3\ndef f(): pass", "LIMIT, 'f' in dir()"))
    assert result["text"] == "(3, False)"


def test_a_users_own_name_wins_and_is_told(run):
    (result,) = results(run(MODULE, "revenue = 5\nrevenue"))
    assert result["text"] == "5"
    (added,) = result["changes"]["added"]
    assert added["detail"] == "the session's own helper revenue is hidden by it"


@pytest.mark.parametrize(
    "module, words",
    [
        ("def describe(): pass", ["describe", "another name"]),
        ("def open(): pass", ["open", "another name"]),
        ("def f(:", ["own.py", "SyntaxError"]),
        ("1 / 0", ["own.py", "ZeroDivisionError"]),
        ("__all__ = ['gone']", ["gone", "not there"]),
    ],
)
def test_a_module_that_cannot_be_used_says_why_in_one_line(run, module, words):
    done = run(module, "1")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


def test_a_file_that_is_not_there_is_named(binary, environment):
    done = subprocess.run(
        [binary, "exec", "--helpers", "/not/there.py", "-c", "1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 2 and "/not/there.py" in done.stderr


def test_engine_info_lists_all_helpers_with_signature_and_one_line(binary, environment, tmp_path):
    (tmp_path / "own.py").write_text(MODULE)
    client = Client(binary, ["--no-audit-log", "--helpers", str(tmp_path / "own.py")], environment)
    listed = {one["name"]: one for one in client.call("engine.info")["helpers"]}
    assert client.close() == 0
    assert listed["revenue"] == {
        "name": "revenue",
        "signature": "(quarter, *, currency='EUR')",
        "doc": "Revenue of a quarter.",
    }
    assert listed["Ledger"]["doc"] == "Entries by date."
    assert listed["load_csv"]["signature"] == "(path, **options)"
    assert {"describe", "save_chart", "display", "set_matplotlib_formats"} <= set(listed)
    assert all(one["doc"] for one in listed.values())
