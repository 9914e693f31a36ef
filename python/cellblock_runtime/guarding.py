"""Putting the import guard in place: at the start of a session, before any user code.

The guard itself is C++ (`_cellblock_guard`); who it is for and what it decides is in its header.
It guides: nothing here keeps anybody in.
"""

import builtins
import importlib
import sys

from . import packages, pristine
from .import_reading import Reader
from .own_builtins import __builtins__  # noqa: F401


def install(guard, session):
    """Let `guard` judge the imports of this interpreter and the cells of the session."""
    builtins.__import__ = guard.__import__
    pristine.keep(builtins, "__import__")
    importlib.import_module = guard.import_module
    sys.meta_path.insert(0, guard)
    offer = packages.Offer
    offer.allows, offer.workspace = guard.allows, session.config.get("workspace")
    offer.listed = tuple(session.config.get("allowed_imports") or ())
    session.compiler.read = Reader(guard, session).read
