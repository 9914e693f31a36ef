"""Results as values: shapes, round trips, text for a model."""

import base64
import json
import pickle

import cellblock
import pytest
from cellblock import DisplayData, ExecutionResult

SHOWN = """
class Everything:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/html': '<b>h</b>', 'text/markdown': '*m*', 'text/latex': '$l$',
                'image/svg+xml': '<svg xmlns="http://www.w3.org/2000/svg"/>',
                'application/json': {'a': [1, None]}, 'image/png': b'\\x89PNG\\r\\n\\x1a\\nx'}
    def __repr__(self):
        return 'everything'
Everything()
"""


@pytest.fixture(scope="module")
def result(executor):
    """One with something of everything."""
    with executor.open_session() as session:
        session.run("old = 1; gone = 2")
        return session.run(
            "print('out')\nimport sys\nprint('err', file=sys.stderr)\nold = 2\ndel gone\n"
            "open('made.csv', 'w').write('a')\n" + SHOWN
        )


def test_every_form_has_its_type(result):
    shown = result.results[0]
    assert (shown.text, shown.html, shown.markdown, shown.latex) == (
        "everything",
        "<b>h</b>",
        "*m*",
        "$l$",
    )
    assert shown.svg.startswith("<svg")
    assert shown.json == {"a": [1, None]} == result.json
    assert shown.png == b"\x89PNG\r\n\x1a\nx" == result.png == shown.mime["image/png"]
    assert shown.jpeg is None and shown.pdf is None and shown.chart is None
    assert set(shown.formats()) == set(shown.mime) >= {"text/plain", "image/png"}
    assert shown.is_main_result and shown.operation == "show" and shown.display_id is None
    assert (result.html, result.markdown, result.svg) == (shown.html, shown.markdown, shown.svg)


def test_what_changed_is_told(result):
    assert [change.name for change in result.changes.changed] == ["old"]
    assert [change.name for change in result.changes.removed] == ["gone"]
    assert "Everything" in [change.name for change in result.changes.added]
    assert [file.path for file in result.files.created] == ["made.csv"]
    assert "old: int = 2" in result.variables_summary.splitlines()


def test_the_rest_is_there(result):
    assert result.ok and result.cause is None and result.error is None
    assert (result.stdout, result.stderr) == ("out\n", "err\n")
    assert result.execution_count == 2 and len(result.code_sha256) == 64
    assert result.usage.wall_ms > 0 and result.isolation.level in ("full", "reduced")
    assert result.isolation.layers[0].name
    assert result.late.stdout == "" and result.policy_events == {} and result.lost_names == []


def test_round_trips(result):
    assert ExecutionResult.from_dict(result.to_dict()) == result
    assert ExecutionResult.from_json(result.to_json()) == result
    assert pickle.loads(pickle.dumps(result)) == result
    shown = result.results[0]
    assert DisplayData.from_dict(shown.to_dict()) == shown == pickle.loads(pickle.dumps(shown))
    data = json.loads(result.to_json())
    assert base64.b64decode(data["results"][0]["mime"]["image/png"]) == shown.png
    changed = result.to_dict()
    changed["results"][0]["mime"]["text/html"] = "other"
    assert ExecutionResult.from_dict(changed) != result
    assert result.html == "<b>h</b>"


def test_a_result_can_be_made_of_little():
    result = ExecutionResult.from_dict({"status": "error", "error": {"name": "E", "value": "v"}})
    assert (result.error.name, result.error.hint, result.results) == ("E", None, [])
    assert not result.ok


@pytest.mark.parametrize(
    "data",
    [{}, {"status": "fine"}, {"status": "ok", "stdout": 1}, {"status": "ok", "results": [{}]}],
)
def test_what_is_no_result_is_refused(data):
    with pytest.raises(cellblock.BadArgument):
        ExecutionResult.from_dict(data)


def test_broken_text_is_refused():
    with pytest.raises(cellblock.BadArgument):
        ExecutionResult.from_json("{")


def test_model_text_is_bounded_and_survives_the_round_trip(result):
    text = result.to_model_text(2000)
    assert "everything" in text and "out" in text
    assert pickle.loads(pickle.dumps(result)).to_model_text(2000) == text
    long = ExecutionResult.from_dict({"status": "ok", "stdout": "x" * 10_000})
    assert len(long.to_model_text(500).encode()) <= 500


def test_reprs_are_one_readable_line(result, session):
    assert repr(result) == (
        "ExecutionResult(status='ok', text='everything', stdout='out\\n', stderr='err\\n', "
        "results=1)"
    )
    assert repr(result.results[0]).startswith("DisplayData(")
    hostile = session.run(r"print('\x1b]0;title\x07' + 'x' * 5000); 1/0")
    assert "\x1b" not in repr(hostile) and len(repr(hostile)) < 1000
    assert "ZeroDivisionError: division by zero" in repr(hostile)
