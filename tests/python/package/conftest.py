"""What tests of the Python package as pip installs it share."""

import os
import pathlib
import shutil

import pytest
from skips import need, skip
from virtual_environment import VirtualEnvironment

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent


@pytest.fixture(scope="session")
def build_folder(binary):
    """The build under test; building on needs the right to write there."""
    folder = pathlib.Path(binary).resolve().parent
    if not os.access(folder, os.W_OK):
        skip("the Python package's tests: the build folder belongs to another user")
    return folder


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A copy of the sources: setuptools writes into them."""
    copy = tmp_path_factory.mktemp("source") / "cellblock"
    shutil.copytree(
        ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__")
    )
    return copy


@pytest.fixture(scope="session")
def make_venv(tmp_path_factory):
    """Make a virtual environment; the options are those of venv."""
    need("ensurepip", "python3-venv")

    def make(*options):
        return VirtualEnvironment(tmp_path_factory.mktemp("venv") / "venv", *options)

    return make
