"""display(): choosing formats, updating a result in its place, clearing, and the bounds."""

import pytest


def operations(run):
    return [
        (body.get("operation", "show"), body.get("display_id"), body["mime"].get("text/plain"))
        for body, _ in run.results
    ]


def test_a_handle_updates_its_result(run):
    run("h = display('one', display_id='a')\nh.update('two')\nupdate_display(3, display_id='a')")
    assert operations(run) == [
        ("show", "a", "'one'"),
        ("update", "a", "'two'"),
        ("update", "a", "3"),
    ]


def test_an_id_is_made_up_when_asked_for_and_kept_for_later_runs(run):
    run("h = display(1, display_id=True)")
    (first,) = operations(run)
    assert len(first[1]) == 16
    run("h.update(2)")
    assert operations(run) == [("update", first[1], "2")]


def test_a_display_without_an_id_returns_nothing(run):
    assert run("display(1) is None")["text"] == "True"


def test_a_display_id_that_is_no_text_is_refused(run):
    assert run("display(1, display_id=5)")["error"]["name"] == "TypeError"


def test_clear_output_takes_back_what_was_shown(run):
    run("display(1)\nclear_output()\ndisplay(2)")
    assert [one[0] for one in operations(run)] == ["show", "clear", "show"]


def test_clear_output_can_wait_for_the_next_result(run):
    run("display(1)\nclear_output(wait=True)")
    assert [one[0] for one in operations(run)] == ["show"]
    run("display(1)\nclear_output(wait=True)\n2")
    assert [one[0] for one in operations(run)] == ["show", "clear", "show"]


def test_what_is_cleared_or_updated_leaves_room_for_what_follows(make_run):
    run = make_run(max_result_bytes=10_000)
    run("class H:\n    def _repr_html_(self): return 'h' * 6000")
    run("for i in range(5):\n    clear_output(wait=True)\n    display(H())")
    assert all("text/html" in body["mime"] for body, _ in run.results if not body.get("operation"))
    run("h = display(H(), display_id=True)\nfor i in range(5): h.update(H())")
    assert len(run.results) == 6
    assert all("text/html" in body["mime"] for body, _ in run.results)


def test_formats_can_be_chosen(run):
    run(
        "class R:\n    def _repr_html_(self): return '<b>'\n"
        "    def _repr_markdown_(self): return '**'\n    def __repr__(self): return 'r'"
    )
    run("display(R(), include=['text/html'])\ndisplay(R(), exclude=['text/html'])")
    assert [sorted(body["mime"]) for body, _ in run.results] == [
        ["text/html", "text/plain"],
        ["text/markdown", "text/plain"],
    ]


def test_a_mimebundle_is_asked_with_what_was_chosen(run):
    code = (
        "class M:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/html': str(include)}, {}\ndisplay(M(), include=['text/html'])"
    )
    run(code)
    assert run.results[0][0]["mime"]["text/html"] == "['text/html']"


def test_a_formatter_that_gives_nonsense_loses_only_its_own_format(run):
    code = (
        "class N:\n    def _repr_html_(self): return 5\n    def _repr_png_(self): return 'a'\n"
        "    def _repr_json_(self): return object\n    def _repr_svg_(self): return '<svg/>'\n"
        "    def _repr_mimebundle_(self, **k): return 7\n    def __repr__(self): return 'n'\nN()"
    )
    assert run(code)["text"] == "n"
    body, attachments = run.results[0]
    assert set(body["mime"]) - {"application/json"} == {"text/plain", "image/svg+xml"}
    assert attachments == []


def test_metadata_beside_the_data_is_ignored(run):
    run("class T:\n    def _repr_html_(self): return '<b>', {'isolated': True}\nT()")
    assert run.results[0][0]["mime"]["text/html"] == "<b>"


@pytest.mark.parametrize(
    "method, size, mime",
    [
        ("_repr_html_", 3_000_000, "text/html"),
        ("_repr_svg_", 3_000_000, "image/svg+xml"),
        ("_repr_latex_", 100_000, "text/latex"),
        ("_repr_png_", 6_000_000, "image/png"),
    ],
)
def test_each_type_has_its_bound_and_the_cut_is_told(run, method, size, mime):
    data = f"b'x' * {size}" if mime == "image/png" else f"'x' * {size}"
    reply = run(f"class B:\n    def {method}(self): return {data}\n    {{}}\nB()".format("pass"))
    body, attachments = run.results[0]
    assert reply["status"] == "ok"
    assert mime not in body["mime"] and attachments == []
    assert f"left out: {mime} of {size:,} bytes, at most" in body["mime"]["text/plain"]


def test_long_markdown_keeps_its_head_and_tail(run):
    run("class L:\n    def _repr_markdown_(self): return 'a' + 'x' * 500_000 + 'z'\nL()")
    text = run.results[0][0]["mime"]["text/markdown"]
    assert text[0] == "a" and text[-1] == "z" and "left out" in text and len(text) <= 262_144


def test_json_that_is_too_large_says_so(run):
    run("class J:\n    def _repr_json_(self): return list(range(200_000))\nJ()")
    assert "left out: application/json, the value is too large" in (
        run.results[0][0]["mime"]["text/plain"]
    )


def test_an_interrupt_in_a_formatter_ends_the_cell(run):
    reply = run("class I:\n    def _repr_html_(self): raise KeyboardInterrupt\nI()")
    assert reply["interrupted"]


def test_formatters_import_nothing(run):
    run("import sys\nbefore = set(sys.modules)\nclass P: pass")
    run("P(); display(P(), [1], {'a': object()}, 'x', P)\nP()")
    assert run("sorted(set(sys.modules) - before)")["text"] == "[]"


class TestIPython:
    @pytest.fixture(autouse=True)
    def without_ipython(self):
        try:
            import importlib.metadata

            importlib.metadata.version("ipython")
        except importlib.metadata.PackageNotFoundError:
            return
        pytest.skip("IPython is installed here; these are about its stand-in")

    def test_its_display_module_is_there(self, run):
        run(
            "from IPython.display import display, HTML, Markdown, JSON, Math, Image, clear_output\n"
            "display(HTML('<b>'), Markdown('**'), JSON({'a': 1}), Math('x^2'))"
        )
        kinds = [set(body["mime"]) - {"text/plain"} for body, _ in run.results]
        assert kinds == [{"text/html"}, {"text/markdown"}, {"application/json"}, {"text/latex"}]

    def test_a_picture_comes_from_a_file(self, run, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "p.png").write_bytes(b"\x89PNG...")
        run("from IPython.display import Image\nImage('p.png')")
        assert run.results[0][1] == [b"\x89PNG..."]

    def test_what_would_need_the_network_says_so(self, run):
        reply = run("from IPython.display import Image\nImage(url='http://x/y.png')")
        assert "upload the file" in reply["error"]["value"]

    def test_there_is_no_shell_object(self, run):
        assert run("import IPython\nIPython.get_ipython() is None")["text"] == "True"

    def test_matplotlib_draws_beside_the_stand_in(self, run):
        pytest.importorskip("matplotlib")
        code = (
            "import IPython, matplotlib.pyplot as plt\nplt.plot([1, 2])\nIPython.version_info[:2]"
        )
        assert run(code)["text"] == "(9, 0)"
        assert run.results[0][1]
