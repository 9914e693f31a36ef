"""plotly, altair, bokeh, polars and pyarrow as they are installed: what a session shows of them."""

import base64

import pytest
from rpc_client import Client

PLOTLY = "application/vnd.plotly.v1+json"


@pytest.fixture(scope="module")
def server(binary, python, tmp_path_factory):
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path_factory.mktemp("home")),
        "LANG": "C.UTF-8",
    }
    arguments = ["--no-audit-log", "--python", str(python)]
    client = Client(binary, arguments, environment)
    yield client
    assert client.close() == 0


@pytest.fixture
def run(server):
    policy = {"max_memory_bytes": 2 << 30, "timeout_s": 60}
    session = server.call("session.open", policy=policy)["session_id"]

    def run_cell(code):
        result = server.call("session.run", session_id=session, code=code)
        assert result["status"] == "ok", result["error"]
        return result

    yield run_cell
    server.call("session.close", session_id=session)


def chart_of(result):
    (chart,) = [one["chart"] for one in result["results"] if one["chart"]]
    assert chart["description"] and "\n" not in chart["description"]
    return chart


class TestPlotly:
    @pytest.fixture(autouse=True)
    def imported(self, run):
        run("import plotly.express as px, plotly.graph_objects as go")

    def test_a_figure_is_json_and_html_with_its_chart(self, run):
        result = run(
            "go.Figure(go.Bar(x=['a', 'b'], y=[1, 2.5], name='n')).update_layout("
            "title='T', xaxis_title='kind', yaxis_title='mass (kg)')"
        )
        mime = result["results"][0]["mime"]
        assert mime[PLOTLY]["data"][0]["type"] == "bar"
        assert "<div" in mime["text/html"] and len(mime["text/html"]) < 100_000
        chart = chart_of(result)
        assert (chart["type"], chart["title"], chart["x_label"]) == ("bar", "T", "kind")
        assert (chart["y_unit"], chart["x_scale"]) == ("kg", "categorical")
        assert chart["elements"] == [
            {"label": "a", "group": "n", "value": 1.0},
            {"label": "b", "group": "n", "value": 2.5},
        ]
        assert chart["description"] in result["text"]

    def test_show_puts_one_result(self, run):
        result = run("px.line(x=[1, 2], y=[3, 4]).show()")
        assert len(result["results"]) == 1
        assert chart_of(result)["elements"][0]["points"] == [[1.0, 3.0], [2.0, 4.0]]

    @pytest.mark.parametrize(
        "code, kind",
        [
            ("px.line(x=[1, 2], y=[3, 4])", "line"),
            ("px.scatter(x=[1, 2], y=[3, 4])", "scatter"),
            ("px.bar(x=['a'], y=[4])", "bar"),
            ("px.histogram(x=[1, 1, 2])", "bar"),
            ("px.pie(values=[1, 3], names=['a', 'b'])", "pie"),
            ("px.box(y=[1, 2, 3, 4, 100])", "box_and_whisker"),
            ("px.imshow([[1, 2], [3, 4]])", "unknown"),
        ],
    )
    def test_each_kind_has_its_type(self, run, code, kind):
        assert chart_of(run(code))["type"] == kind

    def test_pies_boxes_and_dates_have_their_values(self, run):
        pie = chart_of(run("px.pie(values=[1, 3], names=['a', 'b'])"))["elements"]
        assert [(one["label"], one["angle"]) for one in pie] == [("a", 90.0), ("b", 270.0)]
        box = chart_of(run("px.box(y=[1, 2, 3, 4, 100])"))["elements"][0]
        assert (box["min"], box["median"], box["outliers"]) == (1.0, 3.0, [100.0])
        dates = "import datetime as d\ngo.Figure(go.Scatter(x=[d.date(2024, 1, 1)], y=[1]))"
        chart = chart_of(run(dates))
        assert chart["x_scale"] == "datetime"
        assert chart["elements"][0]["points"][0][0].startswith("2024-01-01")

    def test_panels_make_a_superchart(self, run):
        chart = chart_of(
            run(
                "from plotly.subplots import make_subplots\nf = make_subplots(1, 2)\n"
                "f.add_bar(x=['a'], y=[1], row=1, col=1)\n"
                "f.add_scatter(x=[1, 2], y=[1, 2], row=1, col=2)\nf"
            )
        )
        assert chart["type"] == "superchart"
        assert [one["type"] for one in chart["elements"]] == ["bar", "line"]

    def test_many_points_are_thinned_out_and_counted(self, run):
        series = chart_of(run("px.line(x=list(range(5000)), y=list(range(5000)))"))["elements"][0]
        assert (len(series["points"]), series["omitted_points"]) == (1000, 4000)


def test_an_altair_chart_is_its_specification_and_html(run):
    code = (
        "import altair as alt, pandas as pd\n"
        "c = alt.Chart(pd.DataFrame({'a': ['x'], 'b': [1]})).mark_bar().encode(x='a', y='b')\n"
    )
    mime = run(code + "c")["results"][0]["mime"]
    assert mime["application/vnd.vegalite+json"]["mark"]["type"] == "bar"
    assert "<div" in mime["text/html"]
    assert len(run("c.show()")["results"]) == 1


def test_a_bokeh_figure_is_its_item_and_html(run):
    code = "from bokeh.plotting import figure, show\np = figure()\np.line([1, 2], [3, 4])\n"
    mime = run(code + "p")["results"][0]["mime"]
    assert "doc" in mime["application/vnd.bokeh.item+json"]
    assert "<script" in mime["text/html"]
    assert len(run("show(p)")["results"]) == 1


class TestPolars:
    @pytest.fixture(autouse=True)
    def imported(self, run):
        run("import polars as pl")

    def test_a_frame_tells_shape_names_types_and_both_ends(self, run):
        result = run("pl.DataFrame({'number': range(1000), 'name': ['n'] * 1000})")
        text = result["text"]
        assert text.startswith("shape: (1_000, 2)") or text.startswith("shape: (1000, 2)")
        assert all(word in text for word in ("number", "i64", "name", "str", "999"))
        assert len(text) < 2000
        assert "<table" in result["results"][0]["mime"]["text/html"]

    def test_no_column_of_a_wide_frame_is_hidden(self, run):
        text = run("pl.DataFrame({f'col_{i}': [i] for i in range(60)})")["text"]
        assert all(f"col_{i}" in text for i in range(60))

    def test_records_come_on_request(self, run):
        code = "display(pl.DataFrame({'a': [1.5, float('nan')]}), include='application/json')"
        assert run(code)["results"][0]["mime"]["application/json"] == {
            "columns": [{"name": "a", "dtype": "Float64"}],
            "records": [{"a": 1.5}, {"a": None}],
            "rows": 2,
            "omitted_rows": 0,
        }


def test_a_pyarrow_table_tells_shape_and_columns_first(run):
    code = "import pyarrow as pa\npa.table({'a': list(range(1000)), 'b': ['x'] * 1000})"
    lines = run(code)["text"].split("\n")
    assert lines[0] == "pyarrow.Table(1000, 2): a int64, b string"
    assert "990 rows left out" in lines[6] and lines[-1].startswith("999")


def test_pandas_is_preloaded_beside_pyarrow_and_uses_it_in_a_session(server, run):
    assert "pandas" in server.call("engine.info")["preloaded"]
    result = run(
        "import pandas as pd\n"
        "pd.DataFrame({'a': [1, 2]}).to_parquet('a.parquet', engine='pyarrow')\n"
        "pd.read_parquet('a.parquet', engine='pyarrow')['a'].sum()"
    )
    assert result["text"] == "3", result["error"]


def test_their_tables_are_summarised_by_shape(run):
    result = run(
        "import polars as pl, pyarrow as pa\n"
        "p = pl.DataFrame({'a': [1, 2]})\ns = pl.Series([1, 2, 3])\nt = pa.table({'a': [1]})"
    )
    summaries = {one["name"]: one["summary"] for one in result["variables"]}
    assert summaries == {"p": "DataFrame(2, 1)", "s": "Series(3) Int64", "t": "Table(1, 1)"}


def test_a_parquet_file_is_redacted_before_it_is_uploaded(server, tmp_path):
    policy = {"max_memory_bytes": 2 << 30, "timeout_s": 60}
    session = server.call("session.open", policy=policy)["session_id"]
    make = (
        "import base64, pyarrow as pa, pyarrow.parquet as pq\n"
        "pq.write_table(pa.table({'id': [1, 2], 'email': ['zq9x', None], 'ssn': [3, 4]}), 'p')\n"
        "base64.b64encode(open('p', 'rb').read()).decode()"
    )
    made = server.call("session.run", session_id=session, code=make)["text"]
    (tmp_path / "p.parquet").write_bytes(base64.b64decode(made.strip("'")))
    report = server.call(
        "session.upload",
        session_id=session,
        file=str(tmp_path / "p.parquet"),
        redact={"email": "mask", "ssn": "drop"},
    )
    assert (report["columns"], report["rows"]) == (["id", "email", "ssn"], 2)
    code = "pq.read_table('p.parquet').to_pylist(), b'zq9x' in open('p.parquet', 'rb').read()"
    text = server.call("session.run", session_id=session, code=code)["text"]
    assert text == "([{'id': 1, 'email': '***'}, {'id': 2, 'email': None}], False)"
    server.call("session.close", session_id=session)
