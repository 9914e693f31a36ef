"""Reading a cell before it runs: what it would be refused is told before anything has happened.

Only what is certain is refused here. An import that the cell itself prepares to see fail (`try …
except ImportError`, `if TYPE_CHECKING`) and names that the cell binds to something else are left
to the guard at run time. Cells that mention neither an import nor a call of interest are not read.
"""

import _ast
import os
import re
from types import SimpleNamespace

from .own_builtins import __builtins__  # noqa: F401

ast = SimpleNamespace(**vars(_ast))  # out of the reach of who patches the module

_ENDS = "l le lp lpe v ve vp vpe".split()
# The audit event that a function of `os` stands for.
_EVENT_OF = {
    "system": "os.system",
    "popen": "subprocess.Popen",
    "fork": "os.fork",
    "forkpty": "os.forkpty",
    "posix_spawn": "os.posix_spawn",
    "posix_spawnp": "os.posix_spawn",
    **{f"exec{end}": "os.exec" for end in _ENDS},
    **{f"spawn{end}": "os.fork" for end in _ENDS},
}
_IMPORTERS = frozenset(("__import__", "import_module"))
_mentions_call = re.compile(r"__import__|import_module|" + "|".join(_EVENT_OF)).search
_CATCHES_IMPORTS = frozenset("ImportError ModuleNotFoundError Exception BaseException".split())
_CATCHES_CALLS = frozenset("PermissionError OSError EnvironmentError IOError".split()) | {
    "Exception",
    "BaseException",
}
# Whether it runs at all the run shows: `if TYPE_CHECKING`, `if sys.platform == "win32"`.
_NOT_CERTAIN = _CATCHES_IMPORTS | _CATCHES_CALLS
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Reader:
    """Reads the cells of one session for its guard."""

    def __init__(self, guard, session):
        self.guard = guard
        self.session = session

    def read(self, tree, source, filename):
        """Raise what the cell would be refused, as if its line had raised it."""
        is_deep = _mentions_call(source) is not None
        if not is_deep and "import" not in source:
            return
        found = list(_uses(tree, is_deep))
        bound = _bound(tree) if is_deep else ()
        for node, caught in found:
            for refuse, name in self._refusable(node, caught, found, bound):
                _refuse_at(node, filename, refuse, name)

    def _refusable(self, node, caught, found, bound):
        """(what refuses, the name) of all that a node imports or calls for certain."""
        kind = type(node)
        if kind is ast.Attribute:
            if not caught & _CATCHES_CALLS and self._is_os(node.value.id, found, bound):
                yield self.guard.refuse_call, _EVENT_OF[node.attr]
            return
        if kind is ast.ImportFrom and node.module == "os" and not caught & _CATCHES_CALLS:
            for alias in node.names:
                if alias.name in _EVENT_OF:
                    yield self.guard.refuse_call, _EVENT_OF[alias.name]
        if caught & _CATCHES_IMPORTS or (kind is ast.Call and _called_name(node) in bound):
            return
        for name in _imported(node):
            if not self.guard.allows(name):
                yield self.guard.refuse, name

    def _is_os(self, name, found, bound):
        if name in bound:
            return False
        for node, _ in found:
            if type(node) is ast.Import:
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) == name:
                        return alias.name == "os" or (not alias.asname and name == "os")
        return self.session.namespace.get(name) is os


def _uses(tree, is_deep):
    """(node, names of the exceptions that are caught there) of all that may be refused."""
    pending = [(tree, frozenset())]
    while pending:
        node, caught = pending.pop()
        kind = type(node)
        if _is_import(node, kind) or (is_deep and _is_call_of_os(node, kind)):
            yield node, caught
        inside = caught | _caught_by(node, kind)
        is_choice = kind is ast.If or kind is ast.IfExp or kind is ast.Match
        fields = node._fields if is_deep else _BLOCKS
        children = []
        for field in fields:
            value = getattr(node, field, None)
            around = inside if field == "body" else caught
            if is_choice and field not in ("test", "subject"):
                around = _NOT_CERTAIN
            if type(value) is list:
                children += [(child, around) for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST):
                children.append((value, around))
        pending += reversed(children)


def _is_import(node, kind):
    if kind is ast.Call:
        is_constant = len(node.args) > 0 and type(node.args[0]) is ast.Constant
        return is_constant and _called_name(node) in _IMPORTERS
    return kind is ast.Import or kind is ast.ImportFrom


def _is_call_of_os(node, kind):
    return (
        kind is ast.Attribute
        and node.attr in _EVENT_OF
        and type(node.ctx) is ast.Load
        and type(node.value) is ast.Name
    )


def _called_name(call):
    function = call.func
    if type(function) is ast.Name:
        return function.id
    if type(function) is ast.Attribute and type(function.value) is ast.Name:
        return function.attr if function.value.id in ("importlib", "builtins") else None
    return None


def _caught_by(node, kind):
    """Names of the exceptions that a statement catches for its body."""
    names = set()
    if kind is ast.Try or kind is ast.TryStar:
        for handler in node.handlers:
            names |= {"BaseException"} if handler.type is None else _names_in(handler.type)
    elif kind is ast.With:
        for item in node.items:
            call = item.context_expr
            if type(call) is ast.Call and "suppress" in _names_in(call.func):
                names |= {name for argument in call.args for name in _names_in(argument)}
    return names


def _names_in(node):
    if type(node) is ast.Name:
        return {node.id}
    if type(node) is ast.Attribute:
        return {node.attr}
    if type(node) is ast.Tuple:
        return {name for element in node.elts for name in _names_in(element)}
    return set()


def _bound(tree):
    """Names that the cell binds by anything but an import."""
    names, pending = set(), [tree]
    while pending:
        node = pending.pop()
        kind = type(node)
        if kind is ast.Name and type(node.ctx) is not ast.Load:
            names.add(node.id)
        elif kind is ast.arg:
            names.add(node.arg)
        elif kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler):
            names.add(node.name)
        elif kind in (ast.MatchAs, ast.MatchStar):
            names.add(node.name)
        elif kind is ast.MatchMapping:
            names.add(node.rest)
        for field in node._fields:
            value = getattr(node, field, None)
            values = value if type(value) is list else (value,)
            pending += [child for child in values if isinstance(child, ast.AST)]
    return names


def _imported(node):
    """The absolute module names that a statement or a call imports."""
    if type(node) is ast.Call:
        name = node.args[0].value
        return [name] if type(name) is str and name[:1] not in ("", ".") else []
    if type(node) is ast.Import:
        return [alias.name for alias in node.names]
    if node.level or not node.module:
        return []
    return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]


def _refuse_at(node, filename, refuse, name):
    """Let `refuse(name)` raise from the node's place in the cell."""
    place = {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }
    function = ast.Name("refuse", ast.Load(), **place)
    call = ast.Call(function, [ast.Name("name", ast.Load(), **place)], [], **place)
    code = compile(ast.Module([ast.Expr(call, **place)], []), filename, "exec", 0, True)
    eval(code, {"refuse": refuse, "name": name, "__builtins__": {}})
