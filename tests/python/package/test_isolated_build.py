"""`pip install .` as anybody types it: pip fetches what the build needs, all is compiled anew."""

import pytest
from skips import skip_without_registry


@pytest.fixture(scope="module")
def environment(make_venv):
    """An empty one that reaches a registry, else a skip."""
    made = make_venv()
    probe = made.pip("download", "--no-deps", "-d", made.folder, "pybind11")
    if probe.returncode != 0:
        skip_without_registry(f"pip cannot fetch pybind11 here: {probe.stderr.strip()[-300:]}")
    return made


def test_pip_install_builds_everything_by_itself(environment, source, build_folder):
    # Kept below the build folder, so that another run compiles only what has changed.
    folder = build_folder / "test-isolated-build"
    # pybind11 lies where pip put it for this build alone: it is looked for anew.
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    (folder / "build.ninja").unlink(missing_ok=True)
    done = environment.pip("install", source, CELLBLOCK_BUILD_FOLDER=str(folder))
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    out = environment.run(
        "python",
        "-c",
        "import cellblock\n"
        "with cellblock.Executor(preload=[]) as executor: print(executor.run('6 * 7').text)",
    )
    assert out == "42\n"
