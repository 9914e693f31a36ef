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
    import matplotlib

    labels = "labels" if matplotlib.__version_info__ < (3, 9) else "tick_labels"
    for more in ("", ", vert=False", ", patch_artist=True"):
        code = f"plt.boxplot([[1, 2, 3, 4, 100, 101], [2, 3, 4]], {labels}=['a', 'b']{more})"
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


def elements_of(run, code):
    return chart_of(run, code)["elements"]


@pytest.mark.parametrize(
    "code, kind, x_scale, y_scale",
    [
        ("plt.semilogy([1, 10, 100])", "line", "linear", "log"),
        ("plt.bar(['x', 'y'], [1, 2])", "bar", "categorical", "linear"),
        ("plt.barh(['x', 'y'], [1, 2])", "bar", "linear", "categorical"),
        ("plt.plot([1, 2], 'o')", "scatter", "linear", "linear"),
        ("plt.step([1, 2], [3, 4])", "line", "linear", "linear"),
        ("plt.stem([1, 2])", "line", "linear", "linear"),
        ("plt.contour([[1, 2], [3, 4]])", "unknown", "linear", "linear"),
        (
            "plt.figure().add_subplot(projection='3d').plot([1], [1], [1])",
            "unknown",
            "linear",
            "linear",
        ),
    ],
)
def test_types_and_scales_are_told(run, code, kind, x_scale, y_scale):
    chart = chart_of(run, code)
    assert (chart["type"], chart["x_scale"], chart["y_scale"]) == (kind, x_scale, y_scale)


def test_dates_are_text_in_points_and_ticks(run):
    days = "[d.datetime(2024, 1, 1), d.datetime(2024, 1, 2)]"
    code = f"import datetime as d\nplt.scatter({days}, [1, 2])"
    chart = chart_of(run, code)
    assert chart["x_scale"] == "datetime"
    assert chart["elements"][0]["points"][0] == ["2024-01-01T00:00:00", 1.0]
    assert all(tick.startswith("2024-01-0") for tick in chart["x_ticks"])
    assert len(chart["x_ticks"]) == len(chart["x_tick_labels"])


def test_categories_are_named_in_points(run):
    assert elements_of(run, "plt.scatter(['a', 'b'], [1, 2])")[0]["points"] == [["a", 1], ["b", 2]]


def test_error_bars_keep_their_label(run):
    code = "plt.errorbar([1, 2], [3, 4], yerr=.1, label='measured')"
    assert elements_of(run, code)[0]["label"] == "measured"


def test_a_histogram_drawn_as_an_outline_has_its_bins(run):
    elements = elements_of(run, "plt.hist([0, 0, 1, 2, 2, 2], bins=2, histtype='step')")
    assert [(one["label"], one["value"]) for one in elements] == [("0 – 1", 2.0), ("1 – 2", 4.0)]


def test_stacked_bars_tell_their_own_values(run):
    code = "plt.bar(['x'], [1], label='a'); plt.bar(['x'], [3], bottom=[1], label='b')"
    assert [(one["group"], one["value"]) for one in elements_of(run, code)] == [("a", 1), ("b", 3)]


def test_a_heat_map_tells_shape_and_range(run):
    chart = chart_of(run, "plt.imshow([[1, 2, 3], [4, 5, 6]])")
    assert "image of 2 × 3 values from 1 to 6" in chart["description"]


def test_twin_axes_are_two_charts(run):
    code = "fig, a = plt.subplots()\na.plot([1, 2]); a.twinx().bar([0], [3]);"
    assert [one["type"] for one in elements_of(run, code)] == ["line", "bar"]


def test_the_description_is_in_the_text_of_the_result(run):
    run(PLT + "plt.bar(['x', 'y'], [3, 5]); plt.title('T'); plt.show()")
    assert run.results[0][0]["mime"]["text/plain"].endswith(
        'bar chart "T" with 2 elements from 3 to 5'
    )


def size_of(png):
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


class TestFormats:
    def test_a_picture_has_a_sensible_size(self, run):
        run(PLT + "plt.plot([1]);")
        width, height = size_of(pictures(run)[0][0])
        assert 400 < width < 800 and 300 < height < 700

    def test_a_higher_dpi_of_the_figure_counts(self, run):
        run(PLT + "plt.rcParams['figure.dpi'] = 200\nplt.plot([1]);")
        assert size_of(pictures(run)[0][0])[0] > 800
        run(PLT + "plt.rcdefaults()")

    def test_no_side_has_more_than_3000_pixels(self, run):
        run(PLT + "plt.figure(figsize=(60, 30)); plt.plot([1]);")
        assert max(size_of(pictures(run)[0][0])) <= 3100

    def test_retina_has_twice_the_pixels_until_it_is_taken_back(self, run):
        run(PLT + "plt.plot([1]);")
        width = size_of(pictures(run)[0][0])[0]
        run("set_matplotlib_formats('retina')\nplt.plot([1]);")
        assert abs(size_of(pictures(run)[0][0])[0] - 2 * width) < 5
        run("set_matplotlib_formats()\nplt.plot([1]);")
        assert abs(size_of(pictures(run)[0][0])[0] - width) < 5

    def test_svg_and_jpeg_come_in_the_same_result(self, run):
        run(PLT + "set_matplotlib_formats('svg', 'jpg')\nplt.plot([1]);")
        (result,) = run.results
        assert "<svg" in result[0]["mime"]["image/svg+xml"]
        assert result[0]["attachments"] == ["image/jpeg"]

    @pytest.mark.parametrize("setting", ["figure_format = 'svg'", "figure_formats = ['svg']"])
    def test_the_notebooks_way_of_asking_is_understood(self, run, setting):
        run(f"%config InlineBackend.{setting}\n{PLT}plt.plot([1]);")
        assert "image/svg+xml" in run.results[0][0]["mime"]

    def test_an_unknown_format_is_refused(self, run):
        assert "there are: png, retina" in run("set_matplotlib_formats('bmp')")["error"]["value"]

    def test_a_reset_goes_back_to_png(self, run):
        run("set_matplotlib_formats('svg')")
        run.session.reset()
        run(PLT + "plt.plot([1]);")
        assert run.results[0][0]["attachments"] == ["image/png"]


@pytest.mark.parametrize(
    "code", ["matplotlib.use('TkAgg')", "matplotlib.use('QtAgg')", "plt.switch_backend('TkAgg')"]
)
def test_a_backend_with_windows_is_refused_with_a_hint(run, code):
    error = run(f"import matplotlib\n{PLT}{code}")["error"]
    assert "no screen" in error["hint"]
    run("plt.plot([1]);")
    assert len(pictures(run)) == 1


@pytest.mark.parametrize("name", ["qt", "tk", "notebook", "widget"])
def test_a_magic_for_windows_does_no_harm_and_is_explained(run, name, capsys):
    assert run(f"%matplotlib {name}\n{PLT}plt.plot([1]); plt.show()")["status"] == "ok"
    assert len(pictures(run)) == 1
    assert "no screen" in capsys.readouterr().err


def test_agg_asked_for_by_name_shows_each_figure_once(run, capsys):
    code = "import matplotlib\nmatplotlib.use('Agg')\n" + PLT
    run(code + "for i in range(3):\n    plt.plot([i]); plt.title(str(i)); plt.show()")
    assert [chart["title"] for chart in charts(run)] == ["0", "1", "2"]


ANIMATION = (
    PLT + "from matplotlib.animation import FuncAnimation\nfig, ax = plt.subplots()\n"
    "line, = ax.plot([1, 2])\n"
    "ani = FuncAnimation(fig, lambda i: line.set_ydata([i, i]), frames=3)\n"
)


@pytest.mark.parametrize("end", ["ani", "plt.show()", "None"])
def test_an_animation_gives_one_still(run, end):
    assert run(ANIMATION + end)["status"] == "ok"
    assert len(pictures(run)) == 1


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
