"""The TypeScript package, compiled with its tests by the compiler that it names."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import node_packages
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
SOURCES = ROOT / "typescript"
MANIFEST = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))
PATIENCE_S = 240
OLDEST_NODE = 20
# Brought by npm where the system's is older.
NEWER_NODE = "22.23.5"


def run(command, folder, environment):
    """Run a program to its end; it must succeed. Returns its standard output."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    said = f"{done.stdout[-8000:]}\n{done.stderr[-4000:]}"
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{said}"
    return done.stdout


@pytest.fixture(scope="session")
def node(binary, tmp_path_factory):
    """A Node that is new enough."""
    path = shutil.which("node")
    if path is not None:
        version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
        if int(re.match(r"v(\d+)", version.stdout)[1]) >= OLDEST_NODE:
            return path
    return node_packages.own_node(NEWER_NODE, binary, tmp_path_factory)


@pytest.fixture(scope="session")
def environment(binary, node, tmp_path_factory):
    """Of every program here: our program, and nothing of the user's own."""
    home = tmp_path_factory.mktemp("home")
    return {
        "PATH": f"{os.path.dirname(node)}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "CELLBLOCK_BINARY": os.path.abspath(binary),
    }


@pytest.fixture(scope="session")
def modules(binary, tmp_path_factory):
    """The node_modules folder with what the package needs for its own tests."""
    wanted = [f"{name}@{version}" for name, version in MANIFEST["devDependencies"].items()]
    return node_packages.modules_with(wanted, binary, tmp_path_factory)


@pytest.fixture(scope="session")
def package(node, modules, environment, tmp_path_factory):
    """The folder of the package, compiled."""
    folder = tmp_path_factory.mktemp("typescript") / "cellblock"
    shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("node_modules", "dist", "*.tgz"))
    shutil.copy(ROOT / "LICENSE", folder.parent)
    (folder / "node_modules").symlink_to(modules)
    for project in ("tsconfig.json", "test/tsconfig.json"):
        run([node, modules / "typescript/bin/tsc", "--project", project], folder, environment)
    return folder
