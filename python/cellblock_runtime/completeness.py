"""Whether code is ready to run: the question that a prompt asks after each line."""

import ast
import codeop
import re
import warnings

from . import dialect
from .own_builtins import __builtins__  # noqa: F401

_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_ENDERS = re.compile(r"(return|raise|pass|break|continue)\b")
_COMPOUND = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.While)
_COMPOUND += (ast.With, ast.Try, ast.TryStar, ast.Match, ast.AsyncFor, ast.AsyncWith)
_STEP = 4


def is_complete(code):
    """{status: complete | incomplete | invalid, indent: what the next line should start with}.

    A block is complete once a blank line follows it, as at Python's own prompt.
    """
    source = dialect.without_fence(code)
    if not code.strip():
        return _answer("complete")
    if code.lstrip().startswith("```") and dialect.has_open_fence(code):
        return _answer("incomplete", _next_indent(source))
    try:
        source = _without_magics(source)
        tree = compile(source, "<input>", "exec", ast.PyCF_ONLY_AST | _AWAIT, True)
        compile(tree, "<input>", "exec", _AWAIT, True)
    except dialect.Refused:
        return _answer("complete")
    except SyntaxError:
        return _unfinished(source)
    except (ValueError, OverflowError, RecursionError, MemoryError):
        return _answer("invalid")
    if _is_open_block(tree, source):
        return _answer("incomplete", _next_indent(source))
    return _answer("complete")


def _answer(status, indent=""):
    return {"status": status, "indent": indent}


def _without_magics(source):
    try:
        compile(source, "<input>", "exec", ast.PyCF_ONLY_AST | _AWAIT, True)
    except SyntaxError as error:
        if _is_waiting(source):
            return source
        plan = dialect.translate(source, "<input>", error)
        return source if plan is None else plan.source
    return source


def _unfinished(source):
    """A syntax error either means that more has to come, or that the code is wrong."""
    if _is_waiting(source):
        return _answer("incomplete", _next_indent(source))
    return _answer("invalid")


def _is_waiting(source):
    """Whether more lines could make this valid Python."""
    if source.rstrip(" \t").endswith("\\\n") or source.endswith("\\"):
        return True
    compiler = codeop.Compile()
    compiler.flags |= _AWAIT
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return codeop._maybe_compile(compiler, source.rstrip("\n"), "<input>", "exec") is None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return _ends_in_open_header(source)


def _ends_in_open_header(source):
    """Whether the last line is a header or decorator whose body has yet to come."""
    lines = [line for line in source.split("\n") if line.strip()]
    last = lines[-1]
    body = last[: len(last) - len(last.lstrip())] + " pass"
    if last.lstrip().startswith("@"):
        body = body[:-5] + "def f(): pass"
    elif not last.rstrip().endswith(":"):
        return False
    trial = "\n".join(lines + [body])
    try:
        compile(trial, "<input>", "exec", ast.PyCF_ONLY_AST | _AWAIT, True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _is_open_block(tree, source):
    """Whether the last statement is a block of several lines without a blank line after it."""
    if not tree.body or not isinstance(tree.body[-1], _COMPOUND):
        return False
    last = tree.body[-1]
    if last.end_lineno == last.lineno and not getattr(last, "decorator_list", None):
        return False
    return source.count("\n") <= last.end_lineno


def _next_indent(source):
    """The indentation that the next line most likely wants."""
    lines = [line for line in source.split("\n") if line.strip()]
    if not lines:
        return ""
    last = lines[-1]
    width = len(last) - len(last.lstrip())
    text = last.split(" #")[0].rstrip()
    if text.endswith(":"):
        width += _STEP
    elif _ENDERS.match(text.lstrip()):
        width = max(width - _STEP, 0)
    return " " * width
