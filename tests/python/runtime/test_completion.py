"""complete, inspect and is_complete."""

import pytest


def matches(run, code, cursor=None):
    return run.session.complete(code, len(code) if cursor is None else cursor)


def test_names_attributes_and_keywords(run):
    run("price_list = [1]\nclass P:\n    width = 1\np = P()\np.height = 2")
    assert matches(run, "pri")["matches"] == ["price_list", "print"]
    assert matches(run, "price_list.app") == {"matches": ["append"], "start": 11, "end": 14}
    assert matches(run, "p.")["matches"] == ["height", "width"]
    assert "__init__" in matches(run, "p.__in")["matches"]
    assert matches(run, "p.width.bit_l")["matches"] == ["bit_length"]
    assert "while" in matches(run, "whi")["matches"]
    assert matches(run, "x = [p.hei")["matches"] == ["height"]
    assert matches(run, "abc 'pri")["matches"] == []
    assert matches(run, "pri + 1", 3)["end"] == 3
    assert matches(run, "ä = pri")["start"] == 4


def test_imports(run):
    assert "json" in matches(run, "import js")["matches"]
    assert "json.decoder" in matches(run, "import json.de")["matches"]
    assert "dumps" in matches(run, "from json import du")["matches"]
    assert "loads" in matches(run, "from json import dumps, lo")["matches"]
    assert not [name for name in matches(run, "import ce")["matches"] if "cellblock" in name]


def test_an_allowlist_bounds_the_imports_that_are_offered(make_run):
    run = make_run(allowed_imports=["numpy", "math"])
    assert matches(run, "import ")["matches"] == ["math", "numpy"]


def test_columns_and_keys(run):
    run("d = {'alpha': 1, 'beta': 2}")
    assert matches(run, "d['al") == {"matches": ["alpha"], "start": 3, "end": 5}
    pytest.importorskip("pandas")
    run("import pandas as pd\ndf = pd.DataFrame({'city': ['Oslo'], 'two words': [1]})")
    assert matches(run, 'df["ci')["matches"] == ["city"]
    assert "city" in matches(run, "df.ci")["matches"]
    assert "two words" not in matches(run, "df.tw")["matches"]


def test_no_user_code_runs_and_the_answer_is_bounded(run):
    run("ran = []\nclass E:\n    @property\n    def p(self): ran.append(1)\n    q = 2\ne = E()")
    assert matches(run, "e.")["matches"] == ["p", "q"]
    assert matches(run, "e.p.rea")["matches"] == []
    assert run.session.inspect("e.p", 3)["found"] is False
    assert run.namespace["ran"] == []
    run("for i in range(2000): globals()[f'w{i}'] = i")
    assert len(matches(run, "w")["matches"]) == 500


@pytest.mark.parametrize(
    "code, cursor", [("", 0), ("a", 99), ("a", -5), ("\x00", 1), ("." * 50, 50)]
)
def test_odd_input_has_an_answer(run, code, cursor):
    assert set(run.session.complete(code, cursor)) == {"matches", "start", "end"}
    assert run.session.inspect(code, cursor)["found"] is False


def test_inspect_tells_signature_docstring_and_type(run):
    run('def area(r, pi=3):\n    """The area."""\n    return r\nn = 5')
    for code, cursor in (("area", 2), ("area(", 5), ("x = area(1, ", 12)):
        found = run.session.inspect(code, cursor)
        assert found["found"] and found["name"] == "area" and found["type"] == "function"
        assert (found["signature"], found["docstring"]) == ("(r, pi=3)", "The area.")
        assert found["text"] == "area(r, pi=3)\n\nThe area."
    assert run.session.inspect("n", 1)["text"] == "n: int = 5"
    assert run.session.inspect("print", 5)["signature"].startswith("(*args")
    assert run.session.inspect("nothing", 3) == {
        "found": False,
        "text": "",
        "name": "nothing",
        "type": None,
        "signature": None,
        "docstring": None,
    }


@pytest.mark.parametrize(
    "code, status, indent",
    [
        ("", "complete", ""),
        ("   \n", "complete", ""),
        ("x = 1", "complete", ""),
        ("x = 1\n", "complete", ""),
        ("# comment", "complete", ""),
        ("1 +", "invalid", ""),
        ("x = = 2", "invalid", ""),
        ("for i in range(3)", "invalid", ""),
        ("for i in range(3):", "incomplete", "    "),
        ("for i in range(3):\n", "incomplete", "    "),
        ("for i in range(3):\n    print(i)", "incomplete", "    "),
        ("for i in range(3):\n    print(i)\n", "incomplete", "    "),
        ("for i in range(3):\n    print(i)\n\n", "complete", ""),
        ("for i in range(3): print(i)", "complete", ""),
        ("def f():\n    return 1", "incomplete", ""),
        ("def f():\n    return 1\n\n", "complete", ""),
        ("def f():\n    if x:\n        return 1\n", "incomplete", "    "),
        ("def f(): return 1", "complete", ""),
        ("@decorator", "incomplete", ""),
        ("@decorator\ndef f():", "incomplete", "    "),
        ("class A:\n    @property", "incomplete", "    "),
        ("x = (1,", "incomplete", ""),
        ("foo(\n    1,", "incomplete", "    "),
        ("foo(\n    1)", "complete", ""),
        ("'''open", "incomplete", ""),
        ("'''closed'''", "complete", ""),
        ("'unterminated", "invalid", ""),
        ("x = 1 + \\", "incomplete", ""),
        ("x = 1 + \\\n", "incomplete", ""),
        ("if x:\n    pass\nelse:", "incomplete", "    "),
        ("try:\n    pass", "incomplete", ""),
        ("try:\n    pass\nexcept:\n    pass\n\n", "complete", ""),
        ("await f()", "complete", ""),
        ("async with a:", "incomplete", "    "),
        ("return 1", "invalid", ""),
        ("```python\nprint(1)", "incomplete", ""),
        ("```python\nprint(1)\n```", "complete", ""),
        ("%matplotlib inline", "complete", ""),
        ("%time x = 1", "complete", ""),
        ("!ls", "complete", ""),
        ("%matplotlib inline\nfor i in x:", "incomplete", "    "),
        ("%%time\nfor i in x:\n", "incomplete", "    "),
        ("match x:\n    case 1:", "incomplete", "        "),
        ("\x00", "invalid", ""),
        ("with open('a') as f:\n    pass", "incomplete", ""),
        ("if True:\n    x = 1\ny = 2", "complete", ""),
    ],
)
def test_is_complete(run, code, status, indent):
    assert run.session.is_complete(code) == {"status": status, "indent": indent}
