"""Running the paths that a first cell takes, so that a session finds them imported and warm."""

import asyncio
import io
from sys import modules

from . import execution
from .own_builtins import __builtins__  # noqa: F401
from .session import Session
from .wire import outbox

_CELLS = (
    "x = 1",
    "x + 1",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(1)",
    "import collections, csv, datetime, decimal, fractions, functools, io, itertools, json, math\n"
    "import os, pathlib, random, re, statistics, string, sys, tempfile, textwrap, time, uuid",
    "def f(): return undefined_name\nf()",
    "raise ExceptionGroup('two', [ValueError('a'), KeyError('b')])",
    "for i in range(3)\n    pass",
    "%matplotlib inline\n[i for i in range(3)]",
    "import asyncio\nawait asyncio.sleep(0)",
    "display({'a': [1, 2.5, 'x']})",
)
_PANDAS_CELL = (
    "import pandas as pd\n"
    "df = pd.DataFrame({'k': ['a', 'b', 'a'], 'v': [1, 2, 3]})\n"
    "df.groupby('k').v.sum()\n"
    "df"
)
_PLOT_CELL = (
    "import matplotlib.pyplot as plt\n"
    "plt.plot([1, 2, 3], [1, 4, 9], label='y')\n"
    "plt.title('Title'); plt.xlabel('x'); plt.ylabel('y'); plt.legend()\n"
    "plt.show()"
)


def warm_numpy():
    """Linear algebra and random numbers."""
    import numpy

    matrix = numpy.random.default_rng(0).random((8, 8))
    numpy.linalg.solve(matrix, numpy.random.rand(8))
    numpy.linalg.svd(matrix)
    repr(matrix)


def warm_pandas():
    """Reading, grouping, describing and showing a frame."""
    import pandas

    text = "a,b,c\n1,x,2020-01-01\n2,y,2020-01-02\n"
    frame = pandas.read_csv(io.StringIO(text), parse_dates=["c"])
    frame.groupby("b").a.agg(["sum", "mean"])
    frame.merge(frame, on="a").sort_values("a")
    frame.describe()
    repr(frame)
    frame._repr_html_()


def warm_matplotlib():
    """The font list and our backend; the figures themselves are warmed by a cell."""
    import matplotlib.font_manager
    import matplotlib.pyplot

    matplotlib.font_manager.findfont("DejaVu Sans")
    matplotlib.pyplot.switch_backend(matplotlib.rcParams["backend"])


def warm_runtime(loaded):
    """Run cells of every kind in a scratch session whose results go nowhere."""
    transmit, main = outbox.transmit, modules["__main__"]
    outbox.transmit = _drop
    session = Session({})
    try:
        modules["__main__"] = session.main
        cells = list(_CELLS)
        cells += [_PANDAS_CELL] * ("pandas" in loaded) + [_PLOT_CELL] * ("matplotlib" in loaded)
        for count, cell in enumerate(cells, 1):
            execution.execute(session, cell, count)
        session.complete("import js", 9)
        session.complete("x.re", 4)
        session.inspect("print(", 6)
        session.is_complete("for i in range(3):\n")
        session.reset()
    finally:
        session.forget()
        outbox.transmit = transmit
        modules["__main__"] = main
        asyncio.set_event_loop(None)


def let_go():
    """Close what warming has left open: matplotlib keeps the files of loaded fonts."""
    font_manager = modules.get("matplotlib.font_manager")
    cached = getattr(font_manager, "_get_font", None)
    if hasattr(cached, "cache_clear"):
        cached.cache_clear()


def _drop(body, attachments):
    """The host of a scratch session."""
