"""Run cells in one namespace: a small stand-in for the session runtime."""

import ast
import importlib
import os
import signal
import sys

import _cellblock_session

_namespace = {"__name__": "__main__", "__builtins__": __builtins__}


def preload(names):
    """Import packages; those that are not there are told."""
    loaded, missing = {}, {}
    for name in names:
        try:
            loaded[name] = str(getattr(importlib.import_module(name), "__version__", ""))
        except ImportError as error:
            missing[name] = str(error)
    return {"loaded": loaded, "missing": missing}


def start(config):
    """Make this process the session that `config` describes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(config["env"])
    if config["workspace"]:
        os.chdir(config["workspace"])
    sys.stdout = open(1, "w", buffering=1, closefd=False)
    sys.stderr = open(2, "w", buffering=1, closefd=False)
    _namespace["display_bytes"] = _display


def _display(mime, data):
    body = {"mime": {}, "attachments": [mime], "chart": None, "is_main_result": False}
    _cellblock_session.send_display(body, [data])


def execute(code, count):
    """Run a cell; the reply is plain data."""
    reply = {"status": "ok", "cause": None, "exit_code": 0, "interrupted": False, "text": None}
    reply |= {"error": None, "variables": variables(), "threads": 0}
    reply["changes"] = {"added": [], "changed": [], "removed": []}
    try:
        tree = ast.parse(code)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, f"<cell {count}>", "exec"), _namespace)
        if last is not None:
            value = eval(compile(last, f"<cell {count}>", "eval"), _namespace)
            reply["text"] = None if value is None else repr(value)
    except SystemExit as error:
        reply |= {"status": "exit", "cause": "exit", "exit_code": error.code or 0}
    except BaseException as error:
        reply |= {"status": "error", "cause": "exception", "exit_code": 1}
        reply["interrupted"] = isinstance(error, KeyboardInterrupt)
        name, value = type(error).__name__, str(error)
        reply["error"] = {"name": name, "value": value, "traceback": "", "hint": None}
    sys.stdout.flush()
    return reply


def complete(code, cursor):
    """Complete nothing."""
    return {"matches": [], "start": cursor, "end": cursor}


def inspect(code, cursor):
    """Find nothing."""
    return {"found": False, "text": ""}


def is_complete(code):
    """Take everything as complete."""
    return {"status": "complete", "indent": ""}


def variables():
    """List the user's names."""
    names = [name for name in _namespace if not name.startswith("__")]
    return [{"name": name, "type": "", "summary": ""} for name in names]


def reset():
    """Forget everything."""
    for name in list(_namespace):
        if not name.startswith("__"):
            del _namespace[name]


def shutdown():
    """Run the atexit functions."""
    import atexit

    atexit._run_exitfuncs()
