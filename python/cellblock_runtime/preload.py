"""Importing and warming packages in the zygote, before any session is forked from it.

What is imported, allocated and faulted in here is shared by all sessions. Nothing may stay
behind but memory: no thread, no open descriptor.
"""

import gc
import importlib
import importlib.util
import os
import sys
from sys import modules

from . import after_import, environment, own_helpers, packages
from .own_builtins import __builtins__  # noqa: F401
from .warming import let_go, warm_matplotlib, warm_numpy, warm_pandas, warm_runtime

_WARMERS = {"numpy": warm_numpy, "pandas": warm_pandas, "matplotlib": warm_matplotlib}
# They start threads when they are imported, and others import them where they can.
_STARTS_THREADS = ("pyarrow", "polars")


def preload(names, helpers_path="", helpers_source=""):
    """Import and warm each package, and load the operator's own helpers.

    Returns {"loaded": {name: version}, "missing": {name: why}, "installed": [name],
    "folders": [path], "helpers": [{name, signature, doc}]}.
    """
    os.environ["MPLBACKEND"] = environment.BACKEND
    after_import.install()
    loaded, missing = {}, {}
    held_back = [name for name in _STARTS_THREADS if name not in names and name not in modules]
    modules.update(dict.fromkeys(held_back))
    for name in names:
        try:
            loaded[name] = _imported(name)
        except ModuleNotFoundError as error:
            own = error.name == name.partition(".")[0]
            missing[name] = "not installed" if own else f"needs {error.name}"
        except BaseException as error:
            missing[name] = f"{type(error).__name__}: {error}"[:500]
    # Sessions import them when they want them.
    for name in held_back:
        modules.pop(name, None)
    packages.preloaded.update(loaded)
    if helpers_path:
        own_helpers.load(helpers_path, helpers_source)
    warm_runtime(loaded)
    let_go()
    gc.collect()
    return {
        "loaded": loaded,
        "missing": missing,
        "installed": packages.installed_names(),
        "folders": _folders(),
        "helpers": own_helpers.listed(),
    }


def _folders():
    """Where modules and what they need are read from, now and later."""
    native = [os.path.join(prefix, "lib") for prefix in {sys.prefix, sys.base_prefix}]
    caches = [os.environ[name] for name in ("MPLCONFIGDIR",) if name in os.environ]
    return [path for path in (*sys.path, *native, *caches) if os.path.isabs(path)]


def _imported(name):
    """Import and warm one package; returns its version."""
    module = importlib.import_module(name)
    if name in _WARMERS:
        _WARMERS[name]()
    return str(getattr(modules.get(name, module), "__version__", ""))
