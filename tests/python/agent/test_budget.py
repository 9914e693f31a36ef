"""Budgets are checked when they are made, and tokens are guessed where nobody counts."""

import pytest
from cellblock.agent import Budget, Message, ToolCall
from cellblock.agent.budget import estimate_tokens


@pytest.mark.parametrize("name", ["executions", "wall_s", "tokens", "same_error"])
def test_none_is_no_limit(name):
    assert getattr(Budget(**{name: None}), name) is None


@pytest.mark.parametrize(
    "fields", [{"executions": 0}, {"wall_s": -1}, {"tokens": "many"}, {"tokens": True}]
)
def test_a_cap_that_makes_no_sense_is_refused_by_name(fields):
    with pytest.raises(ValueError, match=f"Budget.{next(iter(fields))} is"):
        Budget(**fields)


def test_the_text_for_the_model_is_always_bounded():
    with pytest.raises(ValueError, match="Budget.result_bytes is None"):
        Budget(result_bytes=None)


def test_an_estimate_grows_with_text_and_calls_and_bears_any_text():
    short = estimate_tokens((Message("user", "hello"),))
    long = estimate_tokens((Message("user", "hello" * 100),))
    call = estimate_tokens((Message("assistant", "", (ToolCall("c", "f", "x" * 400),)),))

    assert short < call < long
    assert estimate_tokens((Message("user", "\ud800"),)) > 0
