"""What values look like to the reader: MIME bundles, bounded text, tables, pictures, charts."""

import ast
import base64
import re
import time

import pytest

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGA"
    "WjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.parametrize(
    "code",
    [
        "'x' * 50_000_000",
        "b'x' * 50_000_000",
        "list(range(5_000_000))",
        "{i: str(i) for i in range(500_000)}",
        "['y' * 10_000_000] * 10",
        "set(range(1_000_000))",
        "1 << 10_000_000",
        "class L(list): pass\nL(range(100_000))",
        "'é' * 1_000_000",
    ],
)
def test_huge_values_are_shortened_quickly_and_told(run, code):
    begin = time.process_time()
    reply = run(code)
    assert time.process_time() - begin < 3
    assert reply["status"] == "ok"
    assert len(reply["text"].encode()) <= 16_384 + 400
    assert any(word in reply["text"] for word in ("left out", "more", "bits"))


@pytest.mark.parametrize(
    "code",
    [
        "[1, 'a', None, 2.5, (1,), (), [], {}, set(), frozenset(), {1: [2]}, {3}, b'x']",
        "frozenset({1})",
        "(x := [], x.append(x))[0]",
        "(d := {}, d.update(a=d))[0]",
        "{'a': {'b': ['c', ('d',)]}}",
        "7 ** 6000",
        "1e300 * 10",
        "...",
        "range(10**9)",
        "[True, -1, 3j]",
    ],
)
def test_small_values_are_exact(run, code):
    import sys

    allowed = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    expected = repr(eval(code))
    sys.set_int_max_str_digits(allowed)
    assert run(code)["text"] == expected


RICH = """
class Rich:
    def __repr__(self): return 'rich'
    def _repr_html_(self): return '<b>rich</b>'
    def _repr_markdown_(self): return '**rich**'
    def _repr_svg_(self): return '<svg/>'
    def _repr_latex_(self): raise ValueError('broken')
    def _repr_png_(self): return PNG
    def _repr_jpeg_(self): return None
    def _repr_json_(self): return {'a': [1, 2.5, None, float('nan'), 2**70], 'k': {3: (4,)}}
    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/x-own': 'own'}
Rich()
"""


def test_each_format_is_offered_and_a_broken_one_is_lost_alone(run):
    run(f"PNG = {PNG!r}")
    assert run(RICH)["text"] == "rich"
    body, attachments = run.results[0]
    assert body["mime"] == {
        "text/plain": "rich",
        "text/html": "<b>rich</b>",
        "text/markdown": "**rich**",
        "image/svg+xml": "<svg/>",
        "application/json": {"a": [1, 2.5, None, None, str(2**70)], "k": {"3": [4]}},
        "text/x-own": "own",
    }
    assert body["attachments"] == ["image/png"] and attachments == [PNG]
    assert body["is_main_result"] and body["chart"] is None


def test_base64_pictures_become_raw_attachments(run):
    run(f"display({{'image/png': {base64.b64encode(PNG).decode()!r}}}, raw=True)")
    assert run.results[0][1] == [PNG]
    assert "image/png" not in run.results[0][0]["mime"]


def test_an_object_may_display_itself(run):
    code = "class S:\n    def _ipython_display_(self): display('shown')\nS()"
    assert run(code)["text"] is None
    assert [body["mime"]["text/plain"] for body, _ in run.results] == ["'shown'"]


def test_formatters_of_a_class_are_not_called_on_the_class(run):
    assert run(RICH.replace("Rich()\n", "Rich\n"))["text"].startswith("<class")
    assert list(run.results[0][0]["mime"]) == ["text/plain"]


def test_results_of_one_run_are_bounded_and_the_cut_is_told(make_run):
    run = make_run(max_result_bytes=10_000, max_text_bytes=2_000)
    code = "class H:\n    def _repr_html_(self): return 'h' * 4000\nfor i in range(5): display(H())"
    run(code)
    kept = ["text/html" in body["mime"] for body, _ in run.results]
    assert kept == [True, True, False, False, False]
    assert "left out: text/html" in run.results[-1][0]["mime"]["text/plain"]
    assert len(run("'a' * 100000")["text"].encode()) <= 2_400
    run(code)
    assert "text/html" in run.results[0][0]["mime"]


def test_clear_output_and_display_without_values_do_no_harm(run):
    assert run("clear_output(wait=True)\ndisplay()")["status"] == "ok"
    assert run.results == []


class TestPandas:
    @pytest.fixture(autouse=True)
    def loaded(self, run):
        pytest.importorskip("pandas")
        run("import pandas as pd, numpy as np")

    def test_no_column_of_a_wide_frame_is_hidden(self, run):
        text = run("pd.DataFrame([range(60)], columns=[f'col_{i}' for i in range(60)])")["text"]
        assert all(f"col_{i}" in text for i in range(60))
        assert max(map(len, text.split("\n"))) <= 130

    def test_long_frames_show_head_tail_and_shape(self, run):
        text = run("pd.DataFrame({'a': range(1000)})")["text"]
        assert "1000 rows x 1 columns" in text and "999" in text and len(text) < 1000
        html = run.results[0][0]["mime"]["text/html"]
        assert "<table" in html and html.count("<tr") < 100

    def test_huge_frames_are_shown_quickly(self, run):
        begin = time.process_time()
        reply = run("pd.DataFrame(np.zeros((200, 3000)))")
        assert reply["status"] == "ok" and len(reply["text"].encode()) < 17_000
        assert time.process_time() - begin < 5

    def test_series_index_and_empty_frames(self, run):
        assert "dtype: int64" in run("pd.Series([1, 2])")["text"]
        assert run("pd.DataFrame()")["text"].startswith("Empty DataFrame")

    def test_a_patched_method_loses_only_its_format(self, run):
        code = (
            "class D(pd.DataFrame):\n    def to_string(self, *a, **k): raise ValueError\n"
            "    def __repr__(self): return 'mine'\nD({'a': [1]})"
        )
        assert run(code)["text"] == "mine"
        assert "<table" in run.results[0][0]["mime"]["text/html"]


@pytest.mark.parametrize(
    "value", ["'a' * 100_000", "'abc\\n' * 50_000", "'é😀' * 50_000", "b'\\xff' * 100_000"]
)
def test_a_long_text_tells_how_much_of_it_is_left_out(run, value):
    text = run(value)["text"]
    assert len(text.encode()) <= 16_384
    head, note, tail = re.fullmatch(
        r"(.*) … \[([0-9,]+) (?:characters|bytes) left out\] … (.*)", text
    ).groups()
    shown = len(ast.literal_eval(head)) + len(ast.literal_eval(tail))
    assert shown > 2_000 and shown + int(note.replace(",", "")) == len(eval(value))
