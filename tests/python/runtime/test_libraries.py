"""PIL, sympy, seaborn and pandas' Styler, as the distribution packages them."""

import pytest
from skips import need


def mimes(run):
    return [set(body["mime"]) | set(body["attachments"]) for body, _ in run.results]


class TestPillow:
    @pytest.fixture(autouse=True)
    def loaded(self, run):
        need("PIL", "python3-pil")
        run("from PIL import Image")

    def test_an_image_is_a_png_and_says_its_size(self, run):
        assert "4 × 3 pixels, RGB" in run("Image.new('RGB', (4, 3))")["text"]
        assert run.results[0][0]["attachments"] == ["image/png"]

    @pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "F", "I", "HSV"])
    def test_every_mode_is_shown(self, run, mode):
        run(f"Image.new({mode!r}, (2, 2))")
        assert run.results[0][1][0].startswith(b"\x89PNG")

    def test_a_large_image_is_shown_smaller_and_says_so(self, run):
        assert "shown at most" in run("Image.new('RGB', (5000, 10))")["text"]
        width = int.from_bytes(run.results[0][1][0][16:20], "big")
        assert width == 2000

    def test_show_puts_a_result_instead_of_starting_a_viewer(self, run):
        assert run("Image.new('L', (2, 2)).show()")["status"] == "ok"
        assert mimes(run) == [{"text/plain", "image/png"}]


def test_sympy_comes_as_text_and_latex(run):
    need("sympy", "python3-sympy")
    assert run("import sympy\nx = sympy.Symbol('x')\nsympy.sqrt(x) / 2")["text"] == "sqrt(x)/2"
    assert run.results[0][0]["mime"]["text/latex"] == "$\\displaystyle \\frac{\\sqrt{x}}{2}$"
    run("sympy.Matrix([[1, x]])")
    assert "\\left[" in run.results[0][0]["mime"]["text/latex"]


class TestSeaborn:
    @pytest.fixture(autouse=True)
    def loaded(self, run, monkeypatch):
        need("seaborn", "python3-seaborn")
        import matplotlib

        from cellblock_runtime.environment import BACKEND

        matplotlib.rcParams["backend"] = BACKEND
        run("import seaborn as sns, pandas as pd")
        run("df = pd.DataFrame({'k': list('aabb'), 'v': [1, 2, 3, 4], 'w': [2, 1, 4, 3]})")

    @pytest.mark.parametrize(
        "code, kind",
        [
            ("sns.lineplot(data=df, x='v', y='w');", "line"),
            ("sns.scatterplot(data=df, x='v', y='w', hue='k');", "scatter"),
            ("sns.barplot(data=df, x='k', y='v');", "bar"),
            ("sns.countplot(data=df, x='k');", "bar"),
            ("sns.histplot(data=df, x='v');", "bar"),
            ("sns.boxplot(data=df, x='k', y='v');", "box_and_whisker"),
            ("sns.heatmap(df[['v', 'w']]);", "unknown"),
        ],
    )
    def test_each_plot_is_one_picture_with_its_data(self, run, code, kind):
        reply = run(code)
        assert reply["status"] == "ok", reply["error"]
        assert [body["attachments"] for body, _ in run.results] == [["image/png"]]
        assert run.results[0][0]["chart"]["type"] == kind

    def test_a_grid_is_one_picture_of_several_charts(self, run):
        run("sns.catplot(data=df, x='k', y='v', col='k', kind='bar');")
        assert [body["attachments"] for body, _ in run.results] == [["image/png"]]
        assert run.results[0][0]["chart"]["type"] == "superchart"

    def test_the_object_interface_shows_itself(self, run):
        run("import seaborn.objects as so\nso.Plot(df, 'v', 'w').add(so.Dot())")
        assert run.results[-1][0]["attachments"] == ["image/png"]


def test_a_styler_comes_as_its_html_and_as_the_text_of_its_frame(run):
    need("jinja2", "python3-jinja2")
    need("pandas", "python3-pandas")
    text = run(
        "import pandas as pd\n"
        "pd.DataFrame({'city': ['Oslo'], 't': [3.5]}).style.highlight_max(subset=['t'])"
    )["text"]
    assert "Oslo" in text and "t float64" in text
    html = run.results[0][0]["mime"]["text/html"]
    assert "<style" in html and "Oslo" in html
