"""The namespace told in one line each, and what a run changed about it."""

import time

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


def test_a_scan_of_200_variables_takes_less_than_a_millisecond(run):
    run("for i in range(100): globals()[f'v{i}'] = i; globals()[f'l{i}'] = [i]")
    scan = run.session.variables_seen.scan
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        scan(run.namespace)
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.001
