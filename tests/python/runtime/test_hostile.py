"""User code that breaks what the machinery stands on: the next cell works, the reply is made."""

import pytest

NAMES = "len type print Exception str repr dict isinstance getattr id list map any sorted".split()


@pytest.mark.parametrize("value", ["3", "None", "lambda *a, **k: 1 / 0"])
@pytest.mark.parametrize("where", ["{0} = {1}", "import builtins; builtins.{0} = {1}"])
@pytest.mark.parametrize("name", NAMES)
def test_shadowed_builtins_do_not_reach_the_machinery(run, where, value, name):
    import builtins

    saved = dict(vars(builtins))
    try:
        shadowed = run(where.format(name, value))
        failed = run("def f():\n    undefined\nf()")
        shown = run("x = [1, 2]\nx")
        completed = run.session.complete("x.app", 5)
    finally:
        vars(builtins).update(saved)
    assert shadowed["status"] == "ok"
    assert failed["error"]["name"] == "NameError"
    assert "    undefined" in failed["error"]["traceback"] and failed["error"]["hint"]
    assert shown["text"] == "[1, 2]"
    assert completed["matches"] == ["append"]


def test_all_builtins_gone_still_gives_a_reply(run):
    import builtins

    saved = dict(vars(builtins))
    try:
        run("import builtins\nfor n in list(vars(builtins)): setattr(builtins, n, None)")
        reply = run("undefined")
    finally:
        vars(builtins).update(saved)
    assert reply["error"]["name"] == "NameError"


@pytest.mark.parametrize(
    "module, names",
    [
        ("traceback", ["TracebackException", "StackSummary", "FrameSummary"]),
        ("linecache", ["getline", "getlines", "checkcache", "updatecache"]),
        ("sys", ["displayhook", "excepthook", "exc_info", "getrecursionlimit"]),
        ("ast", ["parse", "Expr", "walk"]),
        ("re", ["compile", "match"]),
        ("inspect", ["signature", "cleandoc"]),
    ],
)
def test_patched_modules_do_not_reach_the_machinery(run, module, names):
    import importlib

    saved = dict(vars(importlib.import_module(module)))
    try:
        for name in names:
            run(f"import {module}\n{module}.{name} = None")
        trace = run("def f():\n    return 1 // 0\nf()")["error"]["traceback"]
        assert "return 1 // 0" in trace and "ZeroDivisionError" in trace
        assert run("5")["text"] == "5"
        assert run(f"{module}.{names[0]} is None")["text"] == "True"
    finally:
        vars(importlib.import_module(module)).update(saved)


def test_a_broken_main_module_is_put_back(run):
    run("import sys\ndel sys.modules['__main__']")
    assert run("import __main__\n__main__.__name__")["text"] == "'__main__'"
    run("del __builtins__")
    assert run("len('abc')")["text"] == "3"
    run("globals().clear()")
    assert run("len('abc')")["text"] == "3"


def test_names_that_are_no_strings_are_ignored(run):
    assert run("globals()[5] = 1\nglobals()[(1, 2)] = 3")["status"] == "ok"
    assert run("undefined_thing")["error"]["name"] == "NameError"
    assert run.session.complete("und", 3)["matches"] == []


def test_a_tiny_recursion_limit_and_trace_hooks_do_not_last(run):
    import sys

    limit = sys.getrecursionlimit()
    try:
        run("import sys\ntry: sys.setrecursionlimit(120)\nexcept RecursionError: pass")
        assert run("def f(): return f()\nf()")["error"]["name"] == "RecursionError"
    finally:
        sys.setrecursionlimit(limit)
    run("def t(*a): raise RuntimeError('traced')\nsys.settrace(t)")
    assert run("def g(): return 3\ng()")["text"] == "3"


EVIL = """
class Evil:
    def __repr__(self): raise RuntimeError('boom')
    def __len__(self): raise SystemExit
    def __eq__(self, other): raise RuntimeError('eq')
    def __hash__(self): raise RuntimeError('hash')
    def __getattr__(self, name): raise KeyboardInterrupt
    def __bool__(self): raise RuntimeError('bool')
    @property
    def __class__(self): raise RuntimeError('class')
    @property
    def __dict__(self): raise RuntimeError('dict')
e = Evil()
"""


def test_summaries_and_scans_never_run_user_code(run):
    reply = run(EVIL)
    assert reply["status"] == "ok"
    assert {"name": "e", "type": "Evil", "summary": "Evil"} in reply["variables"]
    assert run("x = 1")["changes"]["added"] == [{"name": "x", "type": "int", "summary": "int = 1"}]
    assert run.session.complete("e.__re", 6)["matches"]
    assert run.session.inspect("e", 1)["type"] == "Evil"


def test_a_failing_repr_is_told_and_no_error(run):
    run(EVIL)
    reply = run("e")
    assert reply["status"] == "ok"
    assert reply["text"] == "<Evil object; its repr raised RuntimeError>"


def test_a_hostile_metaclass_is_not_asked(run):
    code = """
class Meta(type):
    def __getattribute__(cls, name): raise RuntimeError('meta')
    def __instancecheck__(cls, other): raise RuntimeError('instance')
class C(metaclass=Meta): pass
c = C()
"""
    reply = run(code)
    assert reply["status"] == "ok"
    assert {"name": "c", "type": "C", "summary": "C"} in reply["variables"]


@pytest.mark.parametrize(
    "body",
    [
        "def __str__(self): raise RuntimeError('str')",
        "def __str__(self): return str(self)",
        "def __str__(self): return 'x' * 300_000_000",
        "def __str__(self): return 5",
        "def __str__(self): raise SystemExit(9)",
        "def __str__(self): raise KeyboardInterrupt",
        "__traceback__ = property(lambda self: 1 / 0)",
        "__cause__ = property(lambda self: 1 / 0)",
        "__notes__ = property(lambda self: 1 / 0)",
        "args = property(lambda self: 1 / 0)",
        "__class__ = property(lambda self: 1 / 0)",
        "def __getattribute__(self, name): raise RuntimeError('attribute')",
    ],
)
def test_a_hostile_exception_is_a_typed_bounded_error(run, body):
    reply = run(f"class Bad(Exception):\n    {body}\nraise Bad('value')")
    assert (reply["status"], reply["error"]["name"]) == ("error", "Bad")
    assert len(reply["error"]["value"].encode()) <= 4096
    assert len(reply["error"]["traceback"].encode()) <= 16 * 1024
    assert "raise Bad('value')" in reply["error"]["traceback"]
    assert run("1 + 1")["text"] == "2"


@pytest.mark.parametrize(
    "code",
    [
        "raise ValueError('x' * 100_000_000)",
        "raise KeyError('x' * 100_000_000)",
        "raise ValueError(list(range(5_000_000)))",
        "raise ValueError('a', 'x' * 50_000_000)",
        "raise SyntaxError('x' * 1_000_000)",
        "e = ValueError('a')\nfor i in range(1000): e.add_note('n' * 10000)\nraise e",
        "raise ExceptionGroup('g', [ValueError('x' * 10000) for i in range(1000)])",
        "e = ValueError(0)\nfor i in range(1000):\n    e = ExceptionGroup('deep', [e])\nraise e",
    ],
)
def test_huge_exceptions_are_bounded(run, code):
    error = run(code)["error"]
    assert len(error["value"].encode()) <= 4096
    assert len(error["traceback"].encode()) <= 16 * 1024


def test_a_cycle_of_causes_ends(run):
    code = "a, b = ValueError('a'), ValueError('b')\na.__cause__ = b\nb.__cause__ = a\nraise a"
    assert run(code)["error"]["traceback"].count("direct cause") == 1


def test_nested_data_a_million_deep_is_shown_or_refused(run):
    run("x = []\nfor i in range(10**5): x = [x]")
    reply = run("x")
    assert reply["status"] == "ok" and len(reply["text"]) < 20_000
    run("x = 1\nfor i in range(10**4): x = (x,)")
    assert run("import json\njson.dumps(x)")["error"]["name"] == "RecursionError"
    assert run("del x\n1")["text"] == "1"


def test_a_user_display_or_helper_wins(run):
    run("def display(x): return 'mine'")
    assert run("display(1)")["text"] == "'mine'"
    assert "display" in [one["name"] for one in run.reply["variables"]]


METACLASSES = {
    "equality": "def __eq__(a, b): return a is b",
    "equality that raises": "def __eq__(a, b): raise KeyboardInterrupt",
    "hash": "def __hash__(a): raise KeyboardInterrupt",
    "equal to all": "def __eq__(a, b): return True\n    def __hash__(a): return hash(int)",
}


@pytest.mark.parametrize("method", METACLASSES.values(), ids=METACLASSES)
def test_a_metaclass_has_no_say_in_what_a_value_is(run, method):
    ran = run(
        f"class Meta(type):\n    {method}\n"
        "class Thing(metaclass=Meta):\n    def __repr__(self): return 'a thing'\n"
        "class Fault(Exception, metaclass=Meta): pass\n"
        "thing = Thing()\nthings = [thing, {'k': thing}]"
    )
    assert (ran["status"], ran["error"]) == ("ok", None)
    listed = {variable["name"]: variable["type"] for variable in ran["variables"]}
    assert (listed["thing"], listed["things"]) == ("Thing", "list")
    assert run("thing")["text"] == "a thing"
    assert run("things")["text"] == "[a thing, {'k': a thing}]"
    assert run("things.append(Thing())")["changes"]["changed"][0]["name"] == "things"
    assert run.session.inspect("thing", 5)["found"]
    assert run("raise Fault('so')")["error"]["name"] == "Fault"


def test_a_cleared_namespace_is_still_that_of_main(run):
    run("globals().clear()")
    assert run("__name__, len([1])")["text"] == "('__main__', 1)"
