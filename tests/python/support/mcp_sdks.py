"""The official SDKs of MCP for Python and TypeScript, the newest of each era, as clients. They hold
every result against the tool's output schema themselves."""

import json
import pathlib
import shutil
import subprocess

import node_packages
import package_venv

CLIENTS = pathlib.Path(__file__).parent / "mcp_sdk_clients"
PYTHON = {"handshake": "mcp==1.30.0", "stateless": "mcp==2.3.0"}
TYPESCRIPT = {
    "handshake": "@modelcontextprotocol/sdk@1.32.2",
    "stateless": "@modelcontextprotocol/client@2.4.0",
}
VERSIONS = {"handshake": "2025-11-25", "stateless": "2026-07-28"}
ERAS = ["handshake", "stateless"]


def python_sees(era, *server, binary, tmp_path_factory, environment=None):
    """What the Python SDK sees of a server: `stdio, CELLBLOCK` or `http, URL, TOKEN`."""
    python = package_venv.python_with([PYTHON[era]], binary, tmp_path_factory)
    return _run([python, CLIENTS / "client.py", era, *server], environment)


def typescript_sees(era, *server, binary, tmp_path_factory, tmp_path, environment=None):
    """The same for the TypeScript SDK."""
    node = node_packages.node(20)
    modules = node_packages.modules_with([TYPESCRIPT[era]], binary, tmp_path_factory)
    script = shutil.copy(CLIENTS / "client.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(modules)
    return _run([node, script, era, *server], environment)


def _run(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=200)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def check(seen):
    """What holds for every client but for the version, which not each of them tells."""
    assert seen["tools"][0] == "execute_python" and len(seen["tools"]) == 9
    assert seen["value"] == "42"
    assert seen["kinds"] == ["text", "image"]
    assert seen["is_error"] and "ZeroDivisionError" in seen["error_text"]
    assert "tick" in "".join(seen["progress"])
    assert seen["file"] == "written"
