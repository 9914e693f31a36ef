"""matplotlib figures: each shown once, in order, as PNG with its data."""

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

PLT = "import matplotlib.pyplot as plt\n"


@pytest.fixture(autouse=True)
def backend(monkeypatch):
    import matplotlib

    from cellblock_runtime.environment import BACKEND

    matplotlib.rcParams["backend"] = BACKEND


def pictures(run):
    return [data for body, data in run.results if "image/png" in body["attachments"]]


def charts(run):
    return [body["chart"] for body, _ in run.results if body["chart"]]


@pytest.mark.parametrize(
    "code, count",
    [
        ("plt.plot([1, 2]); plt.show()", 1),
        ("fig, ax = plt.subplots()\nax.bar(['a', 'b'], [1, 2]); None", 1),
        ("for i in range(4):\n    plt.figure(); plt.plot([0, i]); plt.show()", 4),
        ("for i in range(3):\n    plt.figure(); plt.plot([0, i])", 3),
        ("fig, ax = plt.subplots()\nax.plot([1, 2])\nfig", 1),
        ("fig, ax = plt.subplots()\nax.plot([1, 2])\nplt.show()\nfig", 1),
        ("fig, ax = plt.subplots()\nax.plot([1, 2])\nplt.show()\nax.plot([3, 4])\nfig", 2),
        ("fig, ax = plt.subplots()\ndisplay(fig)", 1),
        ("fig, ax = plt.subplots()\nfig.show()", 1),
        ("fig, ax = plt.subplots()\nplt.close(fig)", 0),
        ("plt.plot([1, 2]); plt.savefig(__import__('io').BytesIO()); plt.close()", 0),
        ("plt.plot([1, 2])\n1 / 0", 1),
        ("plt.switch_backend('Agg')\nplt.plot([1, 2]); plt.show()", 1),
        ("plt.plot([1, 2]); plt.show(block=True); plt.show()", 1),
        ("plt.figure(figsize=(200, 1)); plt.plot([1])", 1),
    ],
)
def test_each_figure_is_shown_once(run, code, count):
    run(PLT + code)
    shown = pictures(run)
    assert len(shown) == count
    assert all(data[0].startswith(b"\x89PNG") for data in shown)
    run("1 + 1")
    assert pictures(run) == []


def test_figures_come_in_order_before_the_main_result(run):
    run(PLT + "for i in range(3):\n    plt.figure(); plt.plot([0, i]); plt.title(f'f{i}')\n'end'")
    assert [chart["title"] for chart in charts(run)] == ["f0", "f1", "f2"]
    assert run.results[-1][0]["is_main_result"]
    assert run.results[-1][0]["mime"]["text/plain"] == "'end'"


def test_a_figure_that_cannot_be_drawn_says_why_and_the_next_is_shown(run):
    reply = run(PLT + "plt.figure(figsize=(2000, 1)); plt.plot([1])\nplt.figure(); plt.plot([2]);")
    assert reply["status"] == "ok" and len(pictures(run)) == 1
    assert "could not be drawn" in run.results[0][0]["mime"]["text/plain"]


def chart_of(run, code):
    run(PLT + code)
    (chart,) = charts(run)
    assert chart["description"] and "\n" not in chart["description"]
    return chart


def test_bars_tell_labels_values_and_units(run):
    code = "plt.bar(['x', 'y'], [3, 5]); plt.xlabel('kind'); plt.ylabel('mass (kg)')"
    chart = chart_of(run, code)
    assert (chart["type"], chart["x_label"], chart["y_unit"]) == ("bar", "kind", "kg")
    assert chart["elements"] == [
        {"label": "x", "group": "", "value": 3.0},
        {"label": "y", "group": "", "value": 5.0},
    ]


def test_horizontal_and_grouped_bars(run):
    chart = chart_of(run, "plt.barh(['x', 'y'], [3, 5])")
    assert [(one["label"], one["value"]) for one in chart["elements"]] == [("x", 3.0), ("y", 5.0)]
    code = "plt.bar([0, 1], [3, 5], .4, label='a'); plt.bar([.4, 1.4], [1, 2], .4, label='b')"
    chart = chart_of(run, code)
    assert [one["group"] for one in chart["elements"]] == ["a", "a", "b", "b"]


def test_a_histogram_is_labelled_by_its_bins(run):
    chart = chart_of(run, "plt.hist([0, 0, 1, 2, 2, 2], bins=2)")
    assert [(one["label"], one["value"]) for one in chart["elements"]] == [
        ("0 – 1", 2.0),
        ("1 – 2", 4.0),
    ]


def test_lines_and_scatter(run):
    chart = chart_of(run, "plt.plot([1, 2, 3], [1, 4, float('nan')], label='sq')")
    assert chart["type"] == "line" and chart["x_scale"] == "linear"
    points = [[1.0, 1.0], [2.0, 4.0], [3.0, None]]
    assert chart["elements"] == [{"label": "sq", "points": points}]
    chart = chart_of(run, "plt.scatter([1, 2], [3, 4])")
    assert (chart["type"], chart["elements"][0]["points"]) == ("scatter", [[1, 3], [2, 4]])
    code = "import datetime\nplt.plot([datetime.date(2024, 1, d) for d in (1, 2)], [1, 2])"
    assert chart_of(run, code)["elements"][0]["points"][0] == ["2024-01-01", 1.0]
    chart = chart_of(run, "plt.plot(range(100_000))")
    assert len(chart["elements"][0]["points"]) == 1000
    assert chart["elements"][0]["omitted_points"] == 99_000


def test_pies_and_boxes(run):
    chart = chart_of(run, "plt.pie([1, 3], labels=['a', 'b'])")
    assert chart["type"] == "pie"
    assert [(one["label"], round(one["angle"])) for one in chart["elements"]] == [
        ("a", 90),
        ("b", 270),
    ]
    for orientation in ("", ", vert=False", ", patch_artist=True"):
        code = f"plt.boxplot([[1, 2, 3, 4, 100, 101], [2, 3, 4]], labels=['a', 'b']{orientation})"
        chart = chart_of(run, code)
        assert chart["type"] == "box_and_whisker"
        first, second = chart["elements"]
        assert (first["label"], first["median"], first["min"]) == ("a", 3.5, 1.0)
        assert (second["first_quartile"], second["median"], second["max"]) == (2.5, 3.0, 4.0)


def test_a_box_plots_outliers_and_a_closed_line(run):
    chart = chart_of(run, "plt.boxplot([1, 2, 3, 4, 5, 90, 95])")
    assert chart["elements"][0]["outliers"] == [90.0, 95.0] or chart["elements"][0]["max"] == 95.0
    chart = chart_of(run, "plt.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0])")
    assert chart["type"] == "line"


def test_several_axes_make_a_superchart(run):
    code = (
        "fig, (a, b) = plt.subplots(1, 2)\na.plot([1, 2]); b.bar(['x'], [1]); fig.suptitle('both');"
    )
    chart = chart_of(run, code)
    assert (chart["type"], chart["title"]) == ("superchart", "both")
    assert [one["type"] for one in chart["elements"]] == ["line", "bar"]
    code = "im = plt.imshow([[1, 2], [3, 4]]); plt.colorbar(im);"
    assert chart_of(run, code)["type"] == "unknown"


def test_seaborn_like_use_of_pandas_plots(run):
    pytest.importorskip("pandas")
    code = "import pandas as pd\npd.DataFrame({'a': [1, 2]}, index=['u', 'v']).plot.bar()"
    chart = chart_of(run, code)
    assert [one["label"] for one in chart["elements"]] == ["u", "v"]


def test_save_chart_writes_a_png(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(PLT + "fig, ax = plt.subplots()\nsave_chart(fig, 'out')")["text"] == "'out.png'"
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")
    assert run("save_chart()")["error"]["name"] == "ValueError"
    assert run("save_chart(5)")["error"]["name"] == "TypeError"
