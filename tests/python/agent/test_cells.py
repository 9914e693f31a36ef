"""What a reply wants to be run, and what the model is told where that cannot be understood."""

import json

import pytest
from cellblock.agent import Reply, ToolCall
from cellblock.agent.cells import Cell, cells_of

TOOL = {
    "name": "execute_python",
    "parameters": {"properties": {"code": {}, "timeout_seconds": {}}},
}


def cell(arguments, name="execute_python"):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    (only,) = cells_of(Reply(tool_calls=(ToolCall("c1", name, text),)), TOOL, True, False)
    assert only.call_id == "c1"
    return only


def test_a_tool_call_is_a_cell_with_its_timeout():
    assert cell({"code": "x", "timeout_seconds": 2}) == Cell("x", 2, "c1")
    assert cell({"code": "x", "timeout_seconds": None}) == Cell("x", None, "c1")


@pytest.mark.parametrize(
    "arguments, words",
    [
        ('{"code": "x', "no valid JSON"),
        ("[1]", "must be a JSON object"),
        ("", "`code` must be text"),
        ({"code": 5}, "`code` must be text"),
        ({"code": "  \n"}, "`code` must be text"),
        ({"python": "x"}, "there is no argument 'python'; there are code, timeout_seconds"),
        ({"code": "x", "timeout_seconds": "5"}, "`timeout_seconds` must be a number above 0"),
        ({"code": "x", "timeout_seconds": True}, "`timeout_seconds` must be a number above 0"),
        ({"code": "x", "timeout_seconds": 0}, "`timeout_seconds` must be a number above 0"),
        ({"code": "x", "timeout_seconds": float("nan")}, "`timeout_seconds` must be a number"),
        ({"code": "x" * ((1 << 20) + 1)}, "the limit is 1048576"),
        ('{"code": "\\ud800"}', "no valid Unicode"),
    ],
)
def test_a_call_that_cannot_be_run_says_why(arguments, words):
    assert words in cell(arguments).problem


def test_another_tools_name_is_put_right():
    assert (
        "There is no tool named 'bash': call execute_python instead." == cell("{}", "bash").problem
    )


def test_the_blocks_of_a_text_are_one_cell():
    reply = Reply("```python\na\n```\n```python\nb\n```")

    assert cells_of(reply, TOOL, True, False) == [Cell("a\n\nb")]


def test_tool_calls_come_before_what_the_text_shows():
    reply = Reply("```python\na\n```", (ToolCall("c", "execute_python", '{"code": "b"}'),))

    assert [one.code for one in cells_of(reply, TOOL, True, False)] == ["b"]
    assert cells_of(Reply("```python\na\n```"), TOOL, False, False) == []


def test_bare_text_is_code_only_where_code_is_all_that_is_asked_for():
    assert cells_of(Reply("x = 1"), TOOL, True, False) == []
    assert cells_of(Reply("<think>so</think>x = 1"), TOOL, True, True) == [Cell("x = 1")]
    assert cells_of(Reply(" \n"), TOOL, True, True) == []
