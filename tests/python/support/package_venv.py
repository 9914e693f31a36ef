"""Virtual environments with packages from PyPI, made once below the build folder.

    @pytest.fixture(scope="session")
    def python(binary, tmp_path_factory):
        return package_venv.python_with(["mcp==2.3.0"], binary, tmp_path_factory)

Where the packages cannot be had, the test skips with the reason (CELLBLOCK_TEST_REQUIRE_ALL=1: it
fails). pip is given no address: it asks the registry that this machine is set up for.
"""

import importlib.metadata
import subprocess

import package_store
from skips import need, skip_without_registry

PATIENCE_S = 600


def python_with(requirements, binary, tmp_path_factory, keep=()):
    """The path of a Python that has `requirements` (as pip takes them) beside the system's
    packages. `keep`: packages of the system whose version stays."""
    need("ensurepip", "python3-venv")
    constraints = [f"{name}=={importlib.metadata.version(name)}" for name in keep]
    wanted = sorted(requirements)
    folder = package_store.place(binary, tmp_path_factory, "python", wanted + constraints)
    problem = package_store.fill(folder, lambda place: _install(place, wanted, constraints))
    if problem is not None:
        skip_without_registry(f"{', '.join(wanted)} cannot be installed here: {problem}")
    return folder / "bin/python"


def _install(folder, requirements, constraints):
    subprocess.run(
        ["/usr/bin/python3", "-m", "venv", "--clear", "--system-site-packages", folder], check=True
    )
    (folder / "constraints").write_text("\n".join(constraints), encoding="utf-8")
    pip = [folder / "bin/python", *"-m pip install --quiet --disable-pip-version-check".split()]
    try:
        run = subprocess.run(
            [*pip, "-c", folder / "constraints", *requirements],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired:
        return f"pip was not done in {PATIENCE_S} s"
    return run.stderr.strip()[-500:] if run.returncode else None
