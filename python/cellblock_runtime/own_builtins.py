"""A private copy of the builtins for the modules of this package.

A function finds its builtins through the `__builtins__` of the globals that it was defined in.
Every module of the package begins with `from .own_builtins import __builtins__`, so whatever a
user does to the `builtins` module (`builtins.len = None`) cannot reach code of ours. The same
dictionary marks our frames: `frame.f_builtins is OWN` holds for them and for nothing else.
"""

import builtins

__builtins__ = dict(vars(builtins))
OWN = __builtins__
