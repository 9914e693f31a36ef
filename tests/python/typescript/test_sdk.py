"""The TypeScript SDK's own tests, run by Node's test runner."""

import re

import pytest
from conftest import SOURCES, run

FILES = sorted(path.name.removesuffix(".ts") for path in (SOURCES / "test").glob("*.test.ts"))


@pytest.mark.parametrize("name", FILES)
def test_file(name, node, package, environment):
    command = [node, "--test", "--test-reporter=tap", f"test/dist/{name}.js"]
    said = run(command, package, environment)
    counts = dict(re.findall(r"^# (\w+) (\d+)$", said, re.MULTILINE))
    assert int(counts["pass"]) > 0
    assert (counts["fail"], counts["cancelled"], counts["skipped"]) == ("0", "0", "0"), said
