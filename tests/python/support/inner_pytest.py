"""Checks that run in another Python, which has the packages that they need."""

import os
import pathlib
import subprocess
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
PATIENCE_S = 240


def run_checks(python, checks, *options):
    """Run tests/python/adapters/`checks` with pytest of that Python; fails with what it said."""
    folder = TESTS / "adapters"
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short"]
    if any("asyncio_mode" in option for option in options):
        command += ["-p", "pytest_asyncio.plugin"]
    with tempfile.TemporaryDirectory() as home:
        # Plugins that came along with a package are none of ours, but for the one that runs
        # coroutines; and some packages leave files at home.
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "HOME": home}
        run = subprocess.run(
            [*command, "-o", "python_files=*_check.py", *options, str(folder / checks)],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            env=environment,
        )
    assert run.returncode == 0, f"{checks}:\n{run.stdout[-20_000:]}\n{run.stderr[-5_000:]}"
    assert " passed" in run.stdout
