"""The imports that a session's cells made, so that a successor can make them again."""

from ast import Import, ImportFrom, PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST, unparse

from . import dialect
from .errors import describe
from .interrupts import attempt, is_interrupt
from .own_builtins import __builtins__  # noqa: F401

_TREE = PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT
# The host refuses more.
_MOST = 200
_LONGEST = 500


class Imports:
    """Statements at the top level of cells, each once, in the order of their last use."""

    def __init__(self):
        self.statements = {}

    def note(self, code):
        """Remember what a cell imports, whether or not it ends well."""
        tree, _ = attempt(compile, dialect.without_fence(code), "<cell>", "exec", _TREE, True)
        for node in tree.body if tree is not None else ():
            if node.__class__ is Import:
                # One that fails must not keep the others back.
                for name in node.names:
                    self._add(unparse(Import([name])))
            elif node.__class__ is ImportFrom:
                self._add(unparse(node))

    def make_again(self, statements, session, tell):
        """Run a predecessor's; `tell` gets a line for each that fails. Returns an interrupt."""
        for statement in statements:
            _, error = attempt(_run, statement, session.namespace)
            if is_interrupt(error):
                return error
            if error is None:
                self._add(statement)
            else:
                described = describe(error, session)
                tell(
                    f"cellblock: not imported again: {statement} "
                    f"({described['name']}: {described['value']})\n"
                )
        return None

    def _add(self, statement):
        if len(statement.encode("utf-8", "replace")) > _LONGEST:
            return
        self.statements.pop(statement, None)
        self.statements[statement] = True
        if len(self.statements) > _MOST:
            del self.statements[next(iter(self.statements))]


def _run(statement, namespace):
    exec(compile(statement, "<import>", "exec", 0, True), namespace)
