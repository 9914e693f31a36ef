"""What the checks with CrewAI share. They run in a virtual environment that has it."""

import os
import pathlib
import sys

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
os.environ["OTEL_SDK_DISABLED"] = "true"
os.environ["CREWAI_TRACING_ENABLED"] = "false"

import cellblock  # noqa: E402
import pytest  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parents[4] / "examples/agents"))


@pytest.fixture(scope="session")
def executor():
    """One executor for all checks."""
    with cellblock.Executor(preload=[]) as made:
        yield made
