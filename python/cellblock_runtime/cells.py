"""Cells: submitted source made into code objects that the rest of Python can find again.

Every cell has a file name of its own (`<cell 3>`) for the session's life, under which its source
is registered with linecache: tracebacks and inspect.getsource work in later cells too.
"""

import __future__
import linecache
import sys
from ast import Expr, Expression, Module, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from . import dialect, figures
from .own_builtins import __builtins__  # noqa: F401

_AWAIT = PyCF_ALLOW_TOP_LEVEL_AWAIT
_TREE = PyCF_ONLY_AST | _AWAIT
_FUTURES = sum(
    getattr(__future__, name).compiler_flag
    for name in __future__.all_feature_names
    if name != "nested_scopes"
)
_cache = linecache.cache
CO_COROUTINE = 0x80


class Segment:
    """One code object of a cell; `is_shown`: its value is the result; `is_timed`: by %time."""

    __slots__ = ("code", "is_shown", "is_timed")

    def __init__(self, code, is_shown, is_timed=False):
        self.code = code
        self.is_shown = is_shown
        self.is_timed = is_timed


class Cell:
    """A compiled cell; `is_timed`: by %%time, `is_awaiting`: it has a top-level await."""

    __slots__ = ("segments", "codes", "is_timed", "is_awaiting")

    def __init__(self, segments, is_timed):
        self.segments = segments
        self.codes = [segment.code for segment in segments]
        self.is_timed = is_timed
        self.is_awaiting = False
        for segment in segments:
            self.is_awaiting |= bool(segment.code.co_flags & CO_COROUTINE)


class Compiler:
    """Compiles the cells of one session; `__future__` flags carry over from cell to cell."""

    def __init__(self):
        self.lines = {}
        self.repeats = {}
        self.future = 0

    def compile(self, code, execution_count):
        """A Cell. Raises what compile() raises, or dialect.Refused for `!cmd` and the like."""
        filename = self._filename(execution_count)
        source = dialect.without_fence(code)
        self._register(filename, source)
        try:
            tree = self._tree(source, filename)
        except SyntaxError as error:
            plan = dialect.translate(source, filename, error)
            if plan is None:
                raise
            tree = self._tree(plan.source, filename)
            if plan.figure_formats:
                figures.set_matplotlib_formats(*plan.figure_formats)
            for note in plan.notes:
                print(note, file=sys.stderr)
            segments = self._segments(tree, plan.source, filename, plan.timed_lines)
            return Cell(segments, plan.is_timed)
        return Cell(self._segments(tree, source, filename, ()), False)

    def register_again(self):
        """Put the sources back when a user's linecache.clearcache() has dropped them."""
        if self.lines and next(iter(self.lines)) not in _cache:
            _cache.update(self.lines)

    def forget(self):
        """Take this session's sources out of linecache."""
        for filename in self.lines:
            _cache.pop(filename, None)

    def _filename(self, execution_count):
        filename = f"<cell {execution_count}>"
        while filename in self.lines:
            repeat = self.repeats[execution_count] = self.repeats.get(execution_count, 1) + 1
            filename = f"<cell {execution_count}.{repeat}>"
        return filename

    def _register(self, filename, source):
        self.register_again()
        lines = [line + "\n" for line in source.split("\n")]
        self.lines[filename] = _cache[filename] = (len(source), None, lines, filename)

    def _tree(self, source, filename):
        try:
            return compile(source, filename, "exec", self.future | _TREE, True)
        except SystemError:
            # CPython 3.11 loses count when a finalizer parses something during a parse.
            return compile(source, filename, "exec", self.future | _TREE, True)

    def _segments(self, tree, source, filename, timed_lines):
        body = tree.body
        if timed_lines:
            return self._timed_segments(body, source, filename, timed_lines)
        if not body or body[-1].__class__ is not Expr or _is_silenced(source, body[-1]):
            return [Segment(self._code(tree, filename, "exec"), False)]
        last = Expression(body.pop().value)
        if not body:
            return [Segment(self._code(last, filename, "eval"), True)]
        first = Segment(self._code(tree, filename, "exec"), False)
        return [first, Segment(self._code(last, filename, "eval"), True)]

    def _timed_segments(self, body, source, filename, timed_lines):
        segments = []
        for statement in body:
            is_last = statement is body[-1]
            is_timed = statement.lineno in timed_lines
            if is_last and statement.__class__ is Expr and not _is_silenced(source, statement):
                code = self._code(Expression(statement.value), filename, "eval")
                segments.append(Segment(code, True, is_timed))
            else:
                code = self._code(Module([statement], []), filename, "exec")
                segments.append(Segment(code, False, is_timed))
        return segments

    def _code(self, tree, filename, mode):
        code = compile(tree, filename, mode, self.future | _AWAIT, True)
        self.future |= code.co_flags & _FUTURES
        return code


def _is_silenced(source, statement):
    """Whether a semicolon follows the last statement."""
    if ";" not in source:
        return False
    line = source.split("\n")[statement.end_lineno - 1].encode("utf-8")
    end = statement.end_col_offset
    rest = line[end:].decode("utf-8")
    return rest.lstrip().startswith(";")
