"""The namespace told in one line each, and what a run changed about it."""

import importlib
import sys

import pytest


def summaries(reply):
    return {one["name"]: one["summary"] for one in reply["variables"]}


def changes(reply):
    parts = reply["changes"]
    return (
        [one["name"] for one in parts["added"]],
        {one["name"]: one["detail"] for one in parts["changed"]},
        [one["name"] for one in parts["removed"]],
    )


@pytest.mark.parametrize(
    "value, summary",
    [
        ("5", "int = 5"),
        ("True", "bool = True"),
        ("2.5", "float = 2.5"),
        ("None", "NoneType = None"),
        ("'abc'", "str(3) = 'abc'"),
        ("'x' * 500", "str(500)"),
        ("[1, 2, 3]", "list(3)"),
        ("{'a': 1}", "dict(1)"),
        ("lambda x, *a, k=1, **kw: 0", "function(x, *a, k, **kw)"),
        ("type('P', (), {})", "class P"),
        ("10 ** 100", "<int of 333 bits>"),
    ],
)
def test_each_kind_has_its_summary(run, value, summary):
    assert summaries(run(f"v = {value}"))["v"].endswith(summary)


def test_numpy_and_pandas_are_summarised_by_shape(run):
    pytest.importorskip("pandas")
    code = """
import numpy as np, pandas as pd
df = pd.DataFrame({c: range(1000) for c in 'abcdefghijkl'})
s = pd.Series([1, 2, 3])
arr = np.zeros((3, 4))
x = np.float64(2.5)
"""
    assert summaries(run(code)) == {
        "df": "DataFrame(1000, 12)",
        "s": "Series(3) int64",
        "arr": "ndarray(3, 4) float64",
        "x": "float64 = 2.5",
    }


def test_modules_private_names_helpers_and_imported_names_are_left_out(run):
    reply = run("import math\nfrom math import sqrt\nfrom collections import deque\n_p = 1\nv = 2")
    assert list(summaries(reply)) == ["v"]
    assert changes(reply) == (["v"], {}, [])


def test_the_most_recent_comes_first_and_a_hundred_are_listed(run):
    reply = run("for i in range(300): globals()[f'v{i}'] = i")
    assert len(reply["variables"]) == 100 and reply["variables"][0]["name"] == "v299"
    reply = run("v7 = 'new'")
    assert reply["variables"][0]["name"] == "v7"


@pytest.mark.parametrize(
    "before, after, detail",
    [
        ("5", "6", "5 → 6"),
        ("5", "'a'", "int → str"),
        ("'a'", "'b'", "'a' → 'b'"),
        ("[1]", "[1, 2, 3]", "1 → 3 items"),
        ("lambda x: 1", "lambda x, y: 1", "redefined, function(x) → function(x, y)"),
        ("'a' * 300", "'b' * 500", "300 → 500 long"),
    ],
)
def test_a_changed_variable_says_how(run, before, after, detail):
    run(f"v = {before}")
    assert changes(run(f"v = {after}")) == ([], {"v": detail}, [])
    assert changes(run("1")) == ([], {}, [])


def test_an_equal_rebinding_is_no_change_and_nan_is_stable(run):
    run("n = 5\nt = 'text'\nf = float('nan')")
    assert changes(run("n = 5\nt = 'te' + 'xt'")) == ([], {}, [])


def test_changes_in_place_and_removals_are_seen(run):
    run("a = [1]\nb = {}\nc = 3")
    assert changes(run("a.append(2)\nb['k'] = 1\ndel c")) == (
        [],
        {"a": "1 → 2 items", "b": "0 → 1 items"},
        ["c"],
    )
    assert changes(run("import math as a")) == ([], {}, ["a"])


@pytest.mark.parametrize(
    "code, detail",
    [
        ("df = df.drop(columns=['b']).assign(c=3)", "lost column b, new column c"),
        ("df['c'] = 1", "new column c"),
        ("df = df[df.a > 1]", "3 → 2 rows"),
        ("df['a'] = df.a.astype(float)", "a: int64 → float64"),
        ("df = df.copy()", "new value, same shape"),
        ("df.drop(columns='b', inplace=True)", "lost column b"),
        ("df.columns = ['x', 'b']", "lost column a, new column x"),
        ("df.describe()", None),
        ("df.values", None),
    ],
)
def test_a_frame_tells_its_columns_rows_and_types(run, code, detail):
    pytest.importorskip("pandas")
    run("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3], 'b': [4, 5, 6]})")
    assert changes(run(code))[1] == ({"df": detail} if detail else {})


def test_patched_pandas_properties_do_not_run(run):
    pd = pytest.importorskip("pandas")
    saved = {name: pd.DataFrame.__dict__.get(name) for name in ("shape", "__len__")}
    try:
        run("import pandas as pd\ndef evil(*a): raise KeyboardInterrupt")
        run("pd.DataFrame.shape = property(evil)\npd.DataFrame.__len__ = evil")
        reply = run("df = pd.DataFrame({'a': [1, 2]})")
    finally:
        for name, value in saved.items():
            setattr(pd.DataFrame, name, value)
    assert summaries(reply)["df"] == "DataFrame(2, 1)"


@pytest.mark.parametrize(
    "before, code, detail",
    [
        ("v = [1, 2, 3]", "v[0] = 9", "contents changed in place"),
        ("v = [[1], [2]]", "v[1][0] = 9", "contents changed in place"),
        ("v = {'a': 1}", "v['a'] = 2", "contents changed in place"),
        ("v = {'a': {'b': 1}}", "v['a']['b'] = 2", "contents changed in place"),
        ("v = {1, 2}", "v.remove(1); v.add(7)", "contents changed in place"),
        ("v = list(range(10_000))", "v.reverse()", "contents changed in place"),
        ("v = [2, 1]\ndef f(): v.sort()", "f()", "contents changed in place"),
        (
            "v = [2, 1]\nclass C:\n    def m(self): v.sort()\nc = C()",
            "c.m()",
            "contents changed in place",
        ),
        ("v = [2, 1]", "exec('v.sort()')", "contents changed in place"),
        ("v = [1, 2]", "v.sort()", None),
        ("v = [float('nan'), 1.5, 'x' * 900]", "len(v), v[0]", None),
        ("v = {'a': [1]}", "v['a'], list(v)", None),
    ],
)
def test_contents_that_the_code_changed_in_place_are_told(run, before, code, detail):
    run(before)
    assert changes(run(code))[1] == ({"v": detail} if detail else {})
    assert changes(run("1"))[1] == {}


def test_a_second_name_of_a_changed_value_is_told_too(run):
    run("v = [1, 2]\nw = v\nother = [1, 2]")
    assert set(changes(run("w[0] = 5"))[1]) == {"v", "w"}


@pytest.mark.parametrize(
    "before, code, detail",
    [
        ("v = np.zeros(10)", "v[3] = 1", "contents changed in place"),
        ("v = np.zeros((3, 4), order='F')[::2]", "v[1, 1] = 1", "contents changed in place"),
        ("v = np.zeros(1_000_000)", "v += 1", "contents changed in place"),
        ("v = np.array([[1], None], dtype=object)", "v[1] = 'x'", "contents changed in place"),
        ("v = np.zeros(10)", "v.sum(), v[3]", None),
        ("v = pd.Series([1, 2])", "v.iloc[0] = 5", "contents changed in place"),
        (
            "v = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'c': [1.5, 2]})",
            "v.loc[0, 'a'] = 7",
            "values changed in a",
        ),
        (
            "v = pd.DataFrame({'a': [1, 2], 'b': ['x', 'y'], 'c': [1.5, 2]})",
            "v.loc[0, 'b'] = 'z'; v.loc[0, 'c'] = 9",
            "values changed in b, c",
        ),
        (
            "v = pd.DataFrame({'k': pd.Categorical(['x', 'y'])})",
            "v.loc[0, 'k'] = 'y'",
            "values changed in k",
        ),
        (
            "v = pd.DataFrame({'t': pd.to_datetime(['2024-01-01', '2024-01-02'])})",
            "v.loc[0, 't'] = v.t[1]",
            "values changed in t",
        ),
        (
            "v = pd.DataFrame({'n': pd.array([1, None], dtype='Int64')})",
            "v.loc[1, 'n'] = 5",
            "values changed in n",
        ),
        (
            "v = pd.DataFrame({'a': range(1000)})",
            "v.describe(); v.a.sum(); v.sort_values('a');",
            None,
        ),
    ],
)
def test_contents_of_arrays_and_frames_are_compared_by_samples(run, before, code, detail):
    pytest.importorskip("pandas")
    run(f"import numpy as np, pandas as pd\n{before}")
    assert changes(run(code))[1] == ({"v": detail} if detail else {})


def test_contents_of_names_that_the_code_cannot_reach_are_not_compared(run, monkeypatch):
    variables = importlib.import_module("cellblock_runtime.variables")
    marked = []
    mark_of = variables.mark_of
    monkeypatch.setattr(variables, "mark_of", lambda value: marked.append(value) or mark_of(value))
    run("import threading\na = ['a']\nb = ['b']")
    run("a[0]")
    assert marked == [["a"], ["a"]]


def test_comparing_contents_runs_no_user_code(run):
    run(
        "class E:\n    def boom(self, *a): raise KeyboardInterrupt\n"
        "    __eq__ = __hash__ = __len__ = __iter__ = __repr__ = __bool__ = boom\n"
        "v = [E(), [E()], {'k': E()}]\nclass L(list):\n    __len__ = __iter__ = E.boom\nw = L()"
    )
    assert changes(run("v[0] = E(); w")) == ([], {"v": "contents changed in place"}, [])


def test_a_users_own_name_for_a_helper_wins_and_is_told(run):
    reply = run("def load_csv(path): return 'mine'\nload_csv('x')")
    assert reply["text"] == "'mine'"
    (added,) = reply["changes"]["added"]
    assert added["detail"] == "the session's own helper load_csv is hidden by it"
    assert run("load_csv('x')")["text"] == "'mine'"


def calls_of(function, *arguments):
    """How many functions, Python's and C's, a call enters."""
    calls = []
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return sum(event in ("call", "c_call") for event in calls)


def test_a_scan_looks_at_nothing_when_the_namespace_did_not_change(run):
    """The same few calls for 5 000 variables as for one."""
    run("for i in range(5000): globals()[f'v{i}'] = i")
    run("1")
    assert calls_of(run.session.variables_seen.scan, run.namespace) < 40


def test_a_scan_looks_only_at_what_was_bound_anew_or_can_change_in_place(run):
    run("for i in range(5000): globals()[f'v{i}'] = i\na = [1]\nb = {}")
    run("1")
    unchanged = calls_of(run.session.variables_seen.scan, run.namespace)
    assert unchanged < 60
    run.namespace["v7"] = "new"
    assert calls_of(run.session.variables_seen.scan, run.namespace) < unchanged + 50


def test_a_cell_looks_into_the_contents_of_its_own_names_only(run):
    run("for i in range(200): globals()[f'l{i}'] = [i]\nx = 1")
    run("1")
    seen = run.session.variables_seen
    codes = [compile("x = 1", "<cell>", "exec")]
    assert calls_of(seen.watch, codes, run.namespace) < 700
    assert seen.marks == {}


def test_the_list_is_sent_again_only_when_it_has_changed(run):
    def told(code):
        run.count += 1
        return run.session.execute(code, run.count)["variables"]

    assert told("1") == []
    assert told("v = [1]") == [{"name": "v", "type": "list", "summary": "list(1)"}]
    assert told("v[0]") is None
    assert told("v.append(2)") == [{"name": "v", "type": "list", "summary": "list(2)"}]
    assert told("1 / 0") is None
    run.session.reset()
    assert told("1") == []
