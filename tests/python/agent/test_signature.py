"""When two errors are the same one."""

import types

import pytest
from cellblock.agent.signature import error_signature


def result(name="ValueError", value="bad", status="error", cause="exception", exit_code=1):
    error = types.SimpleNamespace(name=name, value=value) if name else None
    return types.SimpleNamespace(status=status, cause=cause, exit_code=exit_code, error=error)


@pytest.mark.parametrize(
    "one, other",
    [
        ("<Thing object at 0x7f01> is bad", "<Thing object at 0x7fffaa> is bad"),
        ("'[' was never closed (<cell 1>, line 1)", "'[' was never closed (<cell 7>, line 12)"),
        ("no file /tmp/tmpa1/x.csv", "no file /tmp/tmpb2/y.csv"),
        ("took 1.5 s", "took 22 s"),
        ("a  b", "a\nb"),
    ],
)
def test_what_varies_from_run_to_run_makes_no_difference(one, other):
    assert error_signature(result(value=one)) == error_signature(result(value=other))


@pytest.mark.parametrize(
    "one, other",
    [
        (result("KeyError", "2019"), result("KeyError", "2020")),
        (result("KeyError", "'a'"), result("IndexError", "'a'")),
        (result("TimeoutError"), result("TimeoutError", status="timeout")),
        (
            result(None, status="crashed", cause="signal", exit_code=139),
            result(None, status="crashed", cause="signal", exit_code=134),
        ),
    ],
)
def test_other_errors_are_others(one, other):
    assert error_signature(one) != error_signature(other)


def test_what_went_well_has_none():
    assert error_signature(result(None, status="ok", cause=None, exit_code=0)) is None
    assert error_signature(result(None, status="exit", cause="exit", exit_code=0)) is None
    assert error_signature(result(None, status="exit", cause="exit", exit_code=3)) is not None
