"""The official SDKs for Python and TypeScript, the newest of each era, as clients of `cellblock
mcp`. They hold every result against the tool's output schema themselves."""

import json
import pathlib
import shutil
import subprocess

import node_packages
import package_venv
import pytest

CLIENTS = pathlib.Path(__file__).parent / "clients"
PYTHON = {"handshake": "mcp==1.30.0", "stateless": "mcp==2.3.0"}
TYPESCRIPT = {
    "handshake": "@modelcontextprotocol/sdk@1.32.2",
    "stateless": "@modelcontextprotocol/client@2.4.0",
}
VERSIONS = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
ERAS = ["handshake", "stateless"]


def run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=200)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def check(seen):
    assert seen["tools"][0] == "execute_python" and len(seen["tools"]) == 9
    assert seen["value"] == "42"
    assert seen["kinds"] == ["text", "image"]
    assert seen["is_error"] and "ZeroDivisionError" in seen["error_text"]
    assert "tick" in "".join(seen["progress"])
    assert seen["file"] == "written"


@pytest.mark.parametrize("era", ERAS)
def test_the_python_sdk_works_through_a_session(binary, tmp_path_factory, environment, era):
    python = package_venv.python_with([PYTHON[era]], binary, tmp_path_factory)
    seen = run([python, CLIENTS / f"python_{era}.py", binary], environment)
    check(seen)
    assert seen["version"] == VERSIONS[era]


@pytest.mark.parametrize("era", ERAS)
def test_the_typescript_sdk_works_through_a_session(
    binary, tmp_path_factory, tmp_path, environment, era
):
    node = node_packages.node(20)
    modules = node_packages.modules_with([TYPESCRIPT[era]], binary, tmp_path_factory)
    script = shutil.copy(CLIENTS / "typescript.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(modules)
    seen = run([node, script, era, binary], environment)
    check(seen)
    assert seen["server"] == "cellblock"
    assert seen["version"] in (VERSIONS[era], None if era == "handshake" else "")
