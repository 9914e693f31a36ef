"""What a cell does to the import system changes its session, never the next result."""

import pytest

PRANKS = {
    "no finders": "import sys\nsys.meta_path.clear(); sys.path_hooks.clear(); sys.path.clear()",
    "no path caches": "import sys\nsys.path_importer_cache.clear()",
    "an importer that raises": "import builtins\n"
    "def failing(*a, **k): raise ValueError('mine')\nbuiltins.__import__ = failing",
    "an importer that lies": "import builtins\nbuiltins.__import__ = lambda *a, **k: 5",
    "no importer": "import builtins\ndel builtins.__import__",
    "no modules": "import sys\nsys.modules.clear()",
    "no standard modules": "import sys\n"
    "for name in 'json linecache traceback re ast io os builtins warnings'.split():\n"
    "    sys.modules.pop(name, None)",
    "none in place of modules": "import sys\n"
    "for name in list(sys.modules):\n    if name != 'sys': sys.modules[name] = None",
    "reloaded modules": "import importlib, json, linecache, traceback, re, ast\n"
    "for m in (json, linecache, traceback, re, ast): importlib.reload(m)",
    "a patched json": "import json\njson.dumps = json.loads = None",
    "a patched linecache": "import linecache\nlinecache.getline = linecache.cache = "
    "linecache.getlines = linecache.checkcache = linecache.lazycache = None",
    "a patched ast": "import ast\nfor n in list(vars(ast)):\n"
    "    if n[0] != '_': setattr(ast, n, None)",
    "a patched sys": "import sys\n"
    "sys.getrecursionlimit = sys.exc_info = sys._getframe = sys.stdlib_module_names = None",
    "a patched importlib": "import importlib, importlib.util, importlib.machinery\n"
    "importlib.import_module = importlib.reload = importlib.util.find_spec = None\n"
    "importlib.machinery.PathFinder.find_spec = None",
    "no guard module": "import sys\n"
    "sys.modules.pop('_cellblock_guard', None)\nsys.meta_path.pop(0)",
    "odd globals": "__builtins__ = {}\n__name__ = __spec__ = __package__ = 5",
}


@pytest.mark.parametrize("prank", PRANKS)
def test_the_next_result_is_right(open_session, prank):
    run = open_session()
    run("import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\ndef f(x):\n    return 1 / x")
    run(PRANKS[prank])
    result = run("x = 3\nx + 1")
    assert (result["status"], result["text"]) == ("ok", "4"), result
    assert "x" in [variable["name"] for variable in result["variables"]]
    error = run("f(0)")["error"]
    assert error["name"] == "ZeroDivisionError"
    assert "return 1 / x" in error["traceback"]
    syntax = run("for in")["error"]
    assert syntax["name"] == "SyntaxError"


@pytest.mark.parametrize("prank", PRANKS)
def test_another_session_sees_nothing_of_it(open_session, prank):
    open_session()(PRANKS[prank])
    other = open_session()
    assert other.value("import json\njson.dumps([1])") == "'[1]'"
    assert other("import subprocess")["cause"] == "import_refused"


@pytest.mark.parametrize("prank", ["no finders", "no guard module", "a patched ast"])
def test_a_refused_import_is_still_refused(open_session, prank):
    run = open_session()
    run(PRANKS[prank])
    assert run("import subprocess")["cause"] == "import_refused"


def test_deleting_a_loaded_package_and_importing_it_again_ends_nothing(run):
    run(
        "import sys, numpy\nfor n in [n for n in sys.modules if n.startswith('numpy')]:\n"
        "    del sys.modules[n]"
    )
    result = run("import numpy")
    assert result["status"] in ("ok", "error")
    assert run("1 + 1")["text"] == "2"


def test_loading_a_builtin_module_by_hand_gives_no_new_power(run):
    result = run(
        "import sys\n__loader__ = sys.modules['builtins'].__spec__.loader\n"
        "posix = __loader__.load_module('posix')\nposix.system('id')"
    )
    assert result["error"]["name"] == "PermissionError", result["error"]
    assert run("1 + 1")["text"] == "2"
