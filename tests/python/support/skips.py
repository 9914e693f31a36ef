"""Skips that are told: listed before the tests' summary, or failures where none is allowed."""

import importlib.util
import os

import pytest


def skip(reason):
    """Skip the test; with CELLBLOCK_TEST_REQUIRE_ALL=1 it fails."""
    log = os.environ.get("CELLBLOCK_TEST_SKIP_LOG")
    if log:
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"SKIPPED: {' '.join(reason.split())}\n")
    if os.environ.get("CELLBLOCK_TEST_REQUIRE_ALL") == "1":
        pytest.fail(f"CELLBLOCK_TEST_REQUIRE_ALL is set, and this cannot run: {reason}")
    pytest.skip(reason)


def need(package, distribution_package):
    """Skip the test where a package is not installed."""
    if importlib.util.find_spec(package) is None:
        skip(f"{distribution_package} is not installed")
