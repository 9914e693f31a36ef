"""A virtual environment with the libraries that no distribution packages."""

import package_venv
import pytest
from skips import need

# pyarrow's later versions refuse the numpy of older systems when they are imported.
PACKAGES = ("plotly", "altair", "bokeh", "polars", "pyarrow<17")


@pytest.fixture(scope="session")
def python(binary, tmp_path_factory):
    """The Python of that environment."""
    for name in ("numpy", "pandas", "matplotlib"):
        need(name, f"python3-{name}")
    return package_venv.python_with(PACKAGES, binary, tmp_path_factory, keep=("numpy", "pandas"))
