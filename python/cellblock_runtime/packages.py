"""Names of packages: what is preloaded, what can be imported, usual aliases."""

import sys
from sys import modules

from .own_builtins import __builtins__  # noqa: F401

USUAL_ALIASES = {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
}
preloaded = {}
_PRIVATE = frozenset(("cellblock_runtime",))


def installed_note():
    """A clause that names what is there."""
    if not preloaded:
        return "only the standard library is installed"
    return f"installed: {', '.join(sorted(preloaded))} and the standard library"


def importable_names():
    """Top-level module names, as far as they are known without searching the disk."""
    loaded = [name for name in list(modules) if type(name) is str and "." not in name]
    names = {*sys.stdlib_module_names, *loaded, *preloaded} - _PRIVATE
    return sorted(name for name in names if not name.startswith("_"))
