"""One session: its `__main__`, its limits, and the verbs that the request loop calls."""

import atexit
import builtins
import types
from sys import modules

from . import (
    class_sources,
    completeness,
    completion,
    environment,
    figures,
    helpers,
    inspection,
    interrupts,
    tables,
    lodging,
    whole_print,
)
from .cells import Compiler
from .event_loop import EventLoop
from .execution import execute
from .imports import Imports
from .interrupts import attempt
from .memory_reserve import MemoryReserve
from .own_builtins import __builtins__  # noqa: F401
from .pristine import Pristine
from .results import Limits
from .streams import Streams
from .variables import Variables

_run_exit_functions = atexit._run_exitfuncs
_NO_MATCHES = {"matches": [], "start": 0, "end": 0}
_NOT_FOUND = {"found": False, "text": "", "name": None}
_NOT_FOUND |= {"type": None, "signature": None, "docstring": None}


class Session:
    """The state of a session; one per process (and a scratch one while warming)."""

    def __init__(self, config):
        self.config = config
        self.max_result_bytes = config.get("max_result_bytes") or 10 * 1024 * 1024
        Limits.max_text_bytes = config.get("max_text_bytes") or 16_384
        self.end_threads_s = config.get("end_threads_ms", 0) / 1000
        self.imports = Imports() if config.get("notes_imports") else None
        variables = config.get("env") or {}
        figures.set_default_formats(variables.get("CELLBLOCK_FIGURE_FORMATS"))
        tables.set_line_width(variables.get("COLUMNS"))
        self.compiler = Compiler()
        self.event_loop = EventLoop()
        self.streams = None
        self.has_own_interpreter = True
        self.memory_reserve = MemoryReserve()
        self.main = self.namespace = self.variables_seen = None
        self.make_main()

    def enter(self):
        """Take over the process: folder, environment, random numbers, streams, SIGINT."""
        environment.enter(self.config["workspace"], self.config.get("env"))
        environment.reseed()
        self._settle(Streams())

    def lodge(self, guest):
        """Move into a host program's process; `guest` is {out, err, is_shared} (see lodging)."""
        self.has_own_interpreter = not guest["is_shared"]
        lodging.enter(self.config["workspace"], self.config.get("env"), guest["is_shared"])
        self._settle(Streams(guest["out"], guest["err"]))

    def _settle(self, streams):
        self.streams = streams
        whole_print.install(self.streams)
        modules["__main__"] = self.main
        self.memory_reserve.take()
        class_sources.install(self.compiler.lines)
        interrupts.install()

    def make_main(self):
        """A fresh `__main__` with the starter helpers."""
        self.main = types.ModuleType("__main__")
        self.namespace = vars(self.main)
        self.namespace["__builtins__"] = builtins
        self.namespace.update(helpers.STARTERS)
        self.variables_seen = Variables(helpers.STARTERS)
        self.listing_told = None
        self.cells_run = 0  # with this `__main__`
        figures.set_matplotlib_formats()

    def execute(self, code, execution_count, imports=()):
        """Run one cell; returns the reply dict and never raises."""
        return execute(self, code, execution_count, imports)

    def complete(self, code, cursor):
        """Completions at a cursor (in code points)."""
        return self._answer(completion.complete, code, cursor, _NO_MATCHES)

    def inspect(self, code, cursor):
        """What is known of the name at a cursor."""
        return self._answer(inspection.inspect, code, cursor, _NOT_FOUND)

    def is_complete(self, code):
        """Whether code can be run as it is, or waits for more lines."""
        with Pristine():
            return completeness.is_complete(code)

    def variables(self):
        """The listed variables as they are now."""
        listing, _ = self.variables_seen.scan(self.namespace)
        return listing

    def reset(self):
        """Forget the user's names and figures; the session itself goes on."""
        attempt(figures.close_all)
        if self.imports is not None:
            self.imports = Imports()
        self.make_main()
        modules["__main__"] = self.main

    def shutdown(self):
        """Run the user's atexit functions and flush; never raises."""
        if self.has_own_interpreter:
            attempt(_run_exit_functions)
        if self.streams is not None:
            self.streams.flush()

    def leave(self):
        """Leave a host program's process: what threads of ours still print goes nowhere."""
        attempt(figures.close_all)
        self.streams.close()
        self.forget()

    def forget(self):
        """Drop what a scratch session has left in the process: sources and its event loop."""
        self.compiler.forget()
        self.event_loop.close()

    def _answer(self, function, code, cursor, otherwise):
        with Pristine():
            answer, error = attempt(function, code, cursor, self)
        return dict(otherwise) if error is not None else answer
