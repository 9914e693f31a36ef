"""Names of packages: what is installed and may be imported, what is preloaded, usual aliases."""

import sys
from importlib.machinery import PathFinder
from pkgutil import iter_modules
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
# Loaded by us where they are not installed (see after_import).
_STAND_INS = frozenset(("IPython",))
_MOST_STANDARD = 60
_find_spec = PathFinder.find_spec


class Offer:
    """What the session offers to user code, as its policy says."""

    allows = staticmethod(lambda name: True)
    listed = ()
    workspace = None


def installed_note():
    """A clause that names what is there and may be imported."""
    others = sorted({*preloaded, *_listed_packages()})
    others = [name for name in others if Offer.allows(name)]
    standard = [name for name in sys.stdlib_module_names if name[0] != "_" and Offer.allows(name)]
    if len(standard) >= _MOST_STANDARD:
        others.append("most of the standard library")
    else:
        others += sorted(standard)
    return ", ".join(others) or "nothing"


def what_there_is():
    """The same behind "installed:"."""
    return f"installed: {installed_note()}"


def _listed_packages():
    """The packages of the policy's list that are installed, less parts of others."""
    names = {name.partition(".")[0] for name in Offer.listed} - sys.stdlib_module_names
    return {name for name in names if name not in _PARTS and is_installed(name)}


# Installed along with others and seldom imported by name.
_PARTS = frozenset(
    "__main__ contourpy cycler et_xmlfile fontTools joblib kiwisolver mpl_toolkits mpmath narwhals "
    "packaging patsy pyparsing six threadpoolctl typing_extensions tzdata".split()
)


def is_installed(name):
    """Whether a package is there; its parts are not looked for."""
    top = name.partition(".")[0]
    if top in sys.stdlib_module_names or (top in modules and top not in _STAND_INS):
        return True
    try:
        return _find_spec(top) is not None
    except Exception:
        return False


def is_in_workspace(name):
    """Whether a module is a file that the session made or was given."""
    top = name.partition(".")[0]
    if Offer.workspace is None or top in sys.stdlib_module_names:
        return False
    return _find_spec(top, [Offer.workspace]) is not None


def importable_names():
    """Top-level module names, as far as they are known without searching the disk."""
    loaded = [name for name in list(modules) if type(name) is str and "." not in name]
    names = {*sys.stdlib_module_names, *loaded, *preloaded, *Offer.listed} - _PRIVATE
    return sorted(name for name in names if name[:1] != "_" and Offer.allows(name))


def installed_names():
    """All top-level names that can be imported, by a search of the disk."""
    found = {module.name for module in iter_modules()}
    return sorted(found | set(sys.stdlib_module_names) | set(sys.builtin_module_names))
