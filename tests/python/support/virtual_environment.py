"""Virtual environments that know nothing of the build's package `cellblock`."""

import os
import subprocess
import sys


def clean_environment(**more):
    """This process's environment without what leads to the build folder's package."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**kept, **more}


class VirtualEnvironment:
    """A fresh one in `folder`; `options` are those of venv."""

    def __init__(self, folder, *options):
        subprocess.run([sys.executable, "-m", "venv", *options, folder], check=True)
        self.folder = folder

    def start(self, program, *arguments, **environment):
        """Run one of its programs to the end, whatever that is."""
        return subprocess.run(
            [self.folder / "bin" / program, *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=clean_environment(**environment),
        )

    def run(self, program, *arguments, **environment):
        """Run one of its programs, which must end well; returns what it printed."""
        done = self.start(program, *arguments, **environment)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def pip(self, *arguments, **environment):
        """Run its pip; the same as `start`."""
        command = ("-m", "pip", "--disable-pip-version-check", *arguments)
        return self.start("python", *command, **environment)
