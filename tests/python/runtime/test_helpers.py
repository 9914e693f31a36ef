"""The starter helpers that need pandas."""

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1,x\n3,y\n",
        b"\xef\xbb\xbfa;b\n1;x\n3;y\n",
        b"a\tb\n1\tx\n3\ty\n",
        "a|b\n1|é\n3|y\n".encode("latin-1"),
        "a,b\n1,x\n3,y\n".encode("utf-16"),
        b'a;b\n1;"x;y"\n3;\'y\n',
    ],
)
def test_encoding_and_delimiter_are_found(run, workspace, content, capsys):
    (workspace / "d.csv").write_bytes(content)
    assert run("df = load_csv('d.csv')\ndf.shape")["text"] == "(2, 2)"
    assert run("list(df.columns), int(df.a.sum())")["text"] == "(['a', 'b'], 4)"
    assert capsys.readouterr().out.startswith("d.csv: 2 rows × 2 columns (a int64, b ")


def test_dates_and_decimal_commas_are_parsed(run, workspace):
    (workspace / "d.csv").write_text("day;v;id\n2024-01-31;1,5;2024-1\n2024-02-01;2,5;x\n")
    run("df = load_csv('d.csv')")
    # pandas 3 counts microseconds, and has a type for text.
    assert (
        run("[t.kind for t in df.dtypes[:2]], str(df.dtypes.iloc[2]) in ('object', 'str')")["text"]
        == "(['M', 'f'], True)"
    )


def test_options_of_read_csv_win(run, workspace):
    (workspace / "d.csv").write_text("a;b\n1;2\n")
    assert run("load_csv('d.csv', sep=',').shape")["text"] == "(1, 1)"
    assert run("load_csv('d.csv', nrows=0).shape")["text"] == "(0, 2)"


def test_failures_say_what_is_there(run, workspace):
    (workspace / "there.csv").write_text("a\n1\n")
    error = run("load_csv('their.csv')")["error"]
    assert error["name"] == "FileNotFoundError" and "there.csv" in error["value"]
    assert error["traceback"].count("File ") == 1
    (workspace / "empty.csv").write_text("")
    assert run("load_csv('empty.csv')")["error"]["value"] == "'empty.csv' is empty"
    assert "network" in run("load_csv('http://x/y.csv')")["error"]["value"]


def test_describe_has_a_row_per_column(run):
    run("import pandas as pd\ndf = pd.DataFrame({'n': [1, 2, None], 's': ['a', 'a', 'b']})")
    run("d = describe(df)")
    assert (
        run(
            "list(d.index), int(d.loc['n', 'missing']), int(d.loc['s', 'unique']), "
            "float(d.loc['n', 'mean'])"
        )["text"]
        == "(['n', 's'], 1, 2, 1.5)"
    )
    assert run("describe([[1, []]])")["status"] == "ok"
