"""Hints about columns, row labels and accessors of pandas."""

import pytest

pytest.importorskip("pandas")
FRAME = (
    "import pandas as pd\n"
    "df = pd.DataFrame({'price': [1, 2], 'city': ['a', 'b']}, index=['north', 'south'])"
)


@pytest.fixture
def hint(run):
    """hint(code) of the error of code about a frame."""
    run(FRAME)
    return lambda code: run(code)["error"]["hint"]


@pytest.mark.parametrize(
    "code",
    [
        "df['pric']",
        "df[['pric']]",
        "df.loc['north', 'pric']",
        "df.loc[:, 'pric']",
        "df.drop(columns='pric')",
        "df.sort_values('pric')",
        "df.groupby('pric')",
        "df.groupby('city')['pric']",
        "df.groupby('city').agg({'pric': 'sum'})",
        "df.agg({'pric': 'sum'})",
        "df.query('pric > 1')",
        "df.eval('pric + 1')",
        "df.query('(pric > 1) & (price < 3)')",
    ],
)
def test_a_missing_column_is_answered_with_the_columns(hint, code):
    assert hint(code) == "The columns are: 'price', 'city'. Did you mean 'price'?"


@pytest.mark.parametrize(
    "code",
    [
        "df.loc['nort']",
        "df.loc['nort', 'price']",
        "df.at['nort', 'price']",
        "df.loc[['nort']]",
        "df.drop('nort')",
    ],
)
def test_a_missing_row_is_answered_with_the_row_labels(hint, code):
    assert hint(code) == "The row labels are: 'north', 'south'. Did you mean 'north'?"


@pytest.mark.parametrize(
    "code",
    [
        "df['price']['nort']",
        "df.price.loc['nort']",
        "df.apply(lambda column: column['nort'])",
        "df.T.apply(lambda row: row['nort'], axis=1)",
    ],
)
def test_a_missing_label_of_a_series_is_answered_with_the_labels(hint, code):
    assert hint(code) == "The labels are: 'north', 'south'. Did you mean 'north'?"


def test_many_row_labels_are_told_by_some_and_none_as_none(hint):
    text = hint("pd.DataFrame({'a': range(5000)}).loc['x']")
    assert "0, 1, 2" in text and "19 and 4,980 more" in text
    assert hint("df.iloc[:0].loc['x']") == "There are no rows."


def test_long_labels_do_not_bury_the_hint(hint):
    text = hint("pd.DataFrame({'a': range(9)}, index=['x' * 10**5] * 9).loc['y']")
    assert text.startswith("The row labels are: 'xx") and len(text) < 2000


def test_a_column_that_is_looked_for_among_the_rows_is_told_as_a_column(hint):
    assert "df['price']" in hint("df.loc['price']")


def test_a_key_error_of_the_users_own_is_not_blamed_on_a_frame(hint):
    assert hint("df.apply(lambda column: {}['pric'])") is None
    assert hint("{}['pric']") is None


@pytest.mark.parametrize(
    "code, words",
    [
        ("df.price.str.upper()", ["dtype int64", "not text", ".astype(str)"]),
        ("df.price.dt.year", ["dtype int64", "not dates", "pd.to_datetime"]),
        ("df.city.dt", ["not dates"]),
        ("df.price.cat", ["no category"]),
        ("pd.Index([1, 2]).str", ["not text"]),
        ("df.str", ["one column"]),
        ("df.pricee", ["`.price`"]),
    ],
)
def test_an_accessor_of_another_kind_of_data_is_told_what_the_data_is(hint, code, words):
    text = hint(code)
    assert all(word in text for word in words), text


def test_an_attribute_that_is_there_is_never_suggested_for_itself(hint):
    code = "class A:\n    @property\n    def total(self): return missing.total\n"
    code += "class B: pass\nmissing = B()\nA().total"
    assert hint(code) is None
    assert (
        hint("class C:\n    @property\n    def t(self): raise AttributeError('t')\nC().t") is None
    )


def test_a_variable_that_a_query_does_not_know_is_no_column(hint):
    assert hint("limit = 1\ndf.query('price > @limi')") == (
        "`limi` is not defined; did you mean `limit`?"
    )
