"""The reading of a cell before it runs: what is certain is refused, nothing else ever."""

import ast
import pathlib
import random
import types

import pytest

ALLOWED = {"json", "os", "sys", "importlib", "typing", "contextlib", "asyncio"}


class Refused(Exception):
    """What the guard of these tests raises."""


class Guard:
    """Allows a few names, as the C++ guard would."""

    def allows(self, name):
        return name.partition(".")[0] in ALLOWED

    def refuse(self, name):
        if not self.allows(name):
            raise Refused(name)

    def refuse_call(self, name):
        raise Refused(name)


def refused(source, namespace=None):
    """The name that reading a cell refuses, or None."""
    from cellblock_runtime.import_reading import Reader

    reader = Reader(Guard(), types.SimpleNamespace(namespace=namespace or {}))
    try:
        reader.read(ast.parse(source), source, "<cell 1>")
    except Refused as error:
        return error.args[0]
    return None


@pytest.mark.parametrize(
    "source, name",
    [
        ("import a", "a"),
        ("import json, a.b", "a.b"),
        ("from a.b import c", "a.b"),
        ("def f():\n    async def g():\n        import a", "a"),
        ("try:\n    pass\nexcept ImportError:\n    import a", "a"),
        ("try:\n    import a\nexcept KeyError:\n    pass", "a"),
        ("try:\n    pass\nfinally:\n    import a", "a"),
        ("if __import__('a'): pass", "a"),
        ("__import__('a.b')", "a.b"),
        ("x = [importlib.import_module('a') for _ in ()]", "a"),
        ("import os\nos.system('x')", "os.system"),
        ("import os as o\nprint(o.execvp)", "os.exec"),
        ("import os.path\nos.popen('x')", "subprocess.Popen"),
        ("from os import path, fork", "os.fork"),
    ],
)
def test_what_is_certain_is_refused(source, name):
    assert refused(source) == name


@pytest.mark.parametrize(
    "source",
    [
        "import json\nfrom json import loads",
        "from . import a\nfrom .a import b",
        "try:\n    import a\nexcept ImportError:\n    a = None",
        "try:\n    import a\nexcept (KeyError, ModuleNotFoundError):\n    a = None",
        "try:\n    import a\nexcept:\n    a = None",
        "try:\n    try:\n        import a\n    except KeyError:\n        pass\n"
        "except Exception:\n    pass",
        "try:\n    import a\nexcept* ImportError:\n    pass",
        "with contextlib.suppress(ImportError):\n    import a",
        "if typing.TYPE_CHECKING:\n    import a",
        "if sys.platform == 'win32':\n    import a\nelif x:\n    import b\nelse:\n    import c",
        "match sys.platform:\n    case 'win32':\n        import a",
        "x = __import__('a') if sys.platform == 'win32' else None",
        "import os\nif sys.platform == 'win32':\n    os.system('cls')",
        "__import__(name)\n__import__()\n__import__(*['a'])\n__import__(5)\n__import__('')",
        "import_module('.a', 'b')",
        "def __import__(x): return x\n__import__('a')",
        "class os:\n    system = 1\nos.system",
        "import os\ndef f(os):\n    return os.system",
        "import os\nos.system = 1",
        "os.system('not bound to anything')",
        "import os\ntry:\n    os.system('x')\nexcept PermissionError:\n    pass",
        "filesystem = 1\nx.popen\nx.y.system('z')",
        "text = 'import a'  # import b",
    ],
)
def test_what_is_not_certain_is_left_to_the_run(source):
    assert refused(source) is None


def test_names_of_earlier_cells_are_known():
    import os

    assert refused("o.system('x')", {"o": os}) == "os.system"
    assert refused("o.system('x')", {"o": object()}) is None


def test_a_refusal_has_its_line_in_the_traceback():
    from cellblock_runtime.import_reading import Reader

    source = "x = 1\nfor y in (x,):\n    import a"
    with pytest.raises(Refused) as caught:
        Reader(Guard(), types.SimpleNamespace(namespace={})).read(
            ast.parse(source), source, "<cell 7>"
        )
    places = [(entry.frame.code.raw.co_filename, entry.lineno + 1) for entry in caught.traceback]
    assert ("<cell 7>", 3) in places


class Program:
    """A random program that is valid, imports nothing and binds what it likes."""

    NAMES = "x y os system popen fork df importer import_module data filesystem _".split()

    def __init__(self, seed):
        self.random = random.Random(seed)

    def expression(self, depth=0):
        pick = self.random.choice
        if depth > 3:
            return pick([pick(self.NAMES), "1", "'import socket'", "None"])
        inner = [self.expression(depth + 1) for _ in range(3)]
        return pick(
            [
                "({} + {})".format(*inner),
                "{}.{}".format(pick(self.NAMES), pick(["system", "popen", "x", "execv"])),
                "{}({}, *{})".format(pick(["f", "x.import_module", "g"]), *inner),
                "[{} for {} in {}]".format(inner[0], pick(self.NAMES), inner[1]),
                "(lambda {}: {})".format(pick(self.NAMES), inner[0]),
                "{{{}: {}}}".format(*inner),
                "f'{{{}}} import a'".format(pick(self.NAMES)),
                "({} if {} else {})".format(*inner),
            ]
        )

    def block(self, depth):
        pick = self.random.choice
        lines = []
        for _ in range(self.random.randint(1, 4)):
            head = pick(
                [
                    f"{pick(self.NAMES)} = {self.expression()}",
                    f"del {pick(self.NAMES)}",
                    f"print({self.expression()})",
                    "pass  # import ssl",
                ]
            )
            if depth < 3 and self.random.random() < 0.5:
                head = pick(
                    [
                        f"if {self.expression()}:",
                        f"for {pick(self.NAMES)} in {self.expression()}:",
                        f"def {pick(self.NAMES)}({pick(self.NAMES)}, *args, **kw):",
                        f"class {pick(self.NAMES)}:",
                        f"with {self.expression()} as {pick(self.NAMES)}:",
                        "while True:",
                        "try:",
                    ]
                )
            lines.append("    " * depth + head)
            if head.endswith(":"):
                lines += self.block(depth + 1)
                if head == "try:":
                    lines.append("    " * depth + pick(["finally:", "except KeyError as x:"]))
                    lines += self.block(depth + 1)
        return lines


def test_random_programs_without_imports_are_never_refused_and_never_crash_the_reading():
    for seed in range(100):
        source = "\n".join(Program(seed).block(0))
        ast.parse(source)
        # Names that are bound to the module `os` are another matter: the namespace has none.
        assert refused(source) is None, (seed, source)


class WithoutImports(ast.NodeTransformer):
    """Real programs without their imports."""

    def visit_Import(self, node):
        return ast.copy_location(ast.Pass(), node)

    visit_ImportFrom = visit_Import

    def visit_Call(self, node):
        self.generic_visit(node)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return ast.Constant(0) if name in ("__import__", "import_module") else node


def test_the_standard_librarys_programs_without_imports_are_never_refused():
    folder = pathlib.Path(ast.__file__).parent
    paths = sorted(folder.glob("*.py"))[::5]
    assert len(paths) > 20
    for path in paths:
        tree = ast.fix_missing_locations(WithoutImports().visit(ast.parse(path.read_bytes())))
        source = ast.unparse(tree)
        assert refused(source) is None, path


def test_deep_programs_are_read_without_recursion():
    chain = "import json\n__import__\nif x:\n    y = 1\n" + "elif x:\n    y = 1\n" * 150
    assert refused(chain + "else:\n    import a") is None
    assert refused(chain + "import a") == "a"
    assert refused("import json\n__import__\nx = " + "1 + " * 2000 + "1") is None


def test_a_cell_without_imports_is_not_read():
    from cellblock_runtime.import_reading import Reader

    Reader(None, None).read(None, "x = 1\ny = x * 2", "<cell 1>")
