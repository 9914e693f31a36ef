"""Skips that are told: listed before the tests' summary, or failures where none is allowed."""

import importlib.util
import os
import shutil

import pytest


def skip(reason):
    """Skip the test; with CELLBLOCK_TEST_REQUIRE_ALL=1 it fails."""
    _note(reason)
    if os.environ.get("CELLBLOCK_TEST_REQUIRE_ALL") == "1":
        pytest.fail(f"CELLBLOCK_TEST_REQUIRE_ALL is set, and this cannot run: {reason}")
    pytest.skip(reason)


def _note(reason):
    log = os.environ.get("CELLBLOCK_TEST_SKIP_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"SKIPPED: {' '.join(reason.split())}\n")


def skip_without_registry(reason):
    """Skip for a package that PyPI or npm does not give: no failure, whatever is required, where
    CELLBLOCK_TEST_REGISTRIES=0 says that this machine reaches neither."""
    if os.environ.get("CELLBLOCK_TEST_REGISTRIES") == "0":
        _note(reason)
        pytest.skip(reason)
    skip(reason)


def need(package, distribution_package):
    """Skip the test where a package is not installed."""
    if importlib.util.find_spec(package) is None:
        skip(f"{distribution_package} is not installed")


def need_program(name):
    """Skip the test where a program is not installed."""
    if shutil.which(name) is None:
        skip(f"{name} is not installed")
