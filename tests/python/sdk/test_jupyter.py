"""Results in a notebook: nothing that a session says can act there, or reach the network."""

import base64
import html.parser

from cellblock import ExecutionResult

ATTACKS = [
    "<script>parent.alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '"></iframe><script>alert(1)</script>',
    "'></iframe><script>alert(1)</script>",
    "</pre></div><script>alert(1)</script>",
    '<meta http-equiv="refresh" content="0;url=https://example.com/?secret">',
    '<a href="javascript:alert(1)">x</a>',
    '<img src="https://example.com/?secret">',
]
#: What our own markup may consist of, with the attributes that it may have.
ALLOWED = {
    "div": set(),
    "pre": {"style"},
    "img": {"src"},
    "iframe": {"sandbox", "srcdoc", "style", "referrerpolicy"},
}


class Page(html.parser.HTMLParser):
    """Collects what a browser would see as elements."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))


def result_with(**data):
    return ExecutionResult.from_dict({"status": "ok", **data})


def shown(mime):
    return {"is_main_result": True, "mime": {"text/plain": "t", **mime}, "chart": None}


def check(result):
    """What holds for everything that is shown; returns the elements."""
    elements = Page(result._repr_html_()).elements
    for tag, attributes in elements:
        assert tag in ALLOWED, tag
        assert set(attributes) <= ALLOWED[tag], attributes
        if tag == "img":
            assert attributes["src"].startswith("data:image/")
        if tag == "iframe":
            assert attributes["sandbox"] == ""
            inner = Page(attributes["srcdoc"]).elements
            assert inner[0][0] == "meta"
            assert inner[0][1]["http-equiv"] == "Content-Security-Policy"
            assert inner[0][1]["content"].startswith("default-src 'none';")
            assert "http" not in inner[0][1]["content"]
    return elements


def test_text_is_escaped_wherever_it_stands():
    for attack in ATTACKS:
        for result in (
            result_with(stdout=attack, stderr=attack),
            result_with(results=[shown({"text/plain": attack})]),
            ExecutionResult.from_dict(
                {
                    "status": "error",
                    "error": {"name": attack, "value": attack, "hint": attack},
                }
            ),
        ):
            assert {tag for tag, _ in check(result)} <= {"div", "pre"}


def test_html_stands_in_a_frame_that_may_do_nothing():
    for attack in ATTACKS:
        elements = check(result_with(results=[shown({"text/html": attack})]))
        assert [tag for tag, _ in elements] == ["div", "iframe"]
        # All of it is inside the frame, after the policy.
        assert elements[1][1]["srcdoc"].endswith(attack)


def test_svg_is_a_picture_not_markup():
    for attack in ATTACKS:
        elements = check(result_with(results=[shown({"image/svg+xml": f"<svg>{attack}</svg>"})]))
        assert [tag for tag, _ in elements] == ["div", "img"]
        assert elements[1][1]["src"].startswith("data:image/svg+xml;base64,")


def test_other_active_forms_are_not_shown_at_all():
    for mime in ("text/markdown", "application/javascript", "text/latex"):
        elements = check(result_with(results=[shown({mime: ATTACKS[0]})]))
        assert [tag for tag, _ in elements] == ["div", "pre"]


def test_the_type_of_a_picture_cannot_break_out(session):
    # A type is ours to choose from: a session's own names are never written into the page.
    result = session.run("display({'image/png\"><script>': 'x', 'text/plain': 'y'}, raw=True)")
    check(result)


def test_a_real_result_shows_itself(session):
    result = session.run(
        "print('<out>')\nclass H:\n  def _repr_html_(self): return '<b>x</b>'\nH()"
    )
    elements = check(result)
    assert [tag for tag, _ in elements] == ["div", "pre", "iframe"]
    assert "&lt;out&gt;" in result._repr_html_()
    assert result.results[0]._repr_html_() in result._repr_html_()


def test_how_a_run_ended_is_shown(session):
    assert "ZeroDivisionError" in session.run("1/0")._repr_html_()
    assert "timeout (wall_time)" in session.run("while True: pass", 0.2)._repr_html_()


# --- the forms that a viewer may choose from ------------------------------------------------------

PNG = base64.b64encode(b"\x89PNG").decode()


def test_a_bundle_has_the_page_and_the_forms_that_cannot_act():
    result = result_with(
        results=[
            shown({"image/svg+xml": ATTACKS[0], "text/markdown": ATTACKS[0]}),
            shown({"image/png": PNG, "text/html": ATTACKS[0], "application/javascript": "x"}),
            shown({"image/jpeg": PNG, "text/latex": "x", "application/json": {"a": [1]}}),
        ]
    )
    assert result._repr_mimebundle_() == {
        "text/plain": repr(result),
        "text/html": result._repr_html_(),
        "image/png": PNG,
        "image/jpeg": PNG,
        "application/json": {"a": [1]},
    }
    picture = result.results[1]
    assert picture._repr_mimebundle_() == {
        "text/plain": repr(picture),
        "text/html": picture._repr_html_(),
        "image/png": PNG,
    }


def test_a_bundle_has_what_is_asked_for():
    result = result_with(results=[shown({"image/png": PNG})])
    assert result._repr_mimebundle_(include={"image/png", "text/latex"}) == {"image/png": PNG}
    assert set(result._repr_mimebundle_(exclude={"text/html"})) == {"text/plain", "image/png"}


def test_a_bundles_text_cannot_move_a_terminals_cursor():
    display = shown({"text/plain": "\x1b[2J", "image/\x1b[2J": ""})
    result = result_with(text="\x1b[2J", results=[display])
    for one in (result, result.results[0]):
        assert "\x1b" not in one._repr_mimebundle_()["text/plain"]
