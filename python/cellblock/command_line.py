"""The program ``cellblock``, as a package installs it."""

import os
import sys

from . import locations


def main() -> None:
    """Become the program."""
    os.execv(locations.command_line(), ["cellblock", *sys.argv[1:]])
