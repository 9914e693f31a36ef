"""The package is typed: mypy, strictly, finds nothing in it, and what it says to its users."""

import pathlib
import re
import subprocess
import sys

import cellblock
import pytest
from skips import need

PACKAGE = pathlib.Path(cellblock.__file__).absolute().parent

USE = """
import asyncio
import cellblock
from cellblock.e2b import Sandbox

def use(session: cellblock.Session) -> None:
    result = session.run("1", 5, on_stdout=print, on_result=lambda data: data.png)
    reveal_type(result)
    reveal_type(result.error)
    reveal_type(result.png)
    reveal_type(result.results[0].html)
    reveal_type(session.variables()[0].summary)
    reveal_type(cellblock.SecurityPolicy().timeout_s)
    reveal_type(session.start("1").wait())
    reveal_type(Sandbox.create().run_code("1").logs.stdout)
    session.run(1)

async def use_async() -> None:
    async with cellblock.AsyncSession() as session:
        reveal_type(await session.run("1"))
"""
REVEALED = [
    "cellblock.result.ExecutionResult",
    "cellblock.parts.ExecutionError | None",
    "builtins.bytes | None",
    "builtins.str | None",
    "builtins.str",
    "builtins.float",
    "cellblock.result.ExecutionResult",
    "builtins.list[builtins.str]",
    "cellblock.result.ExecutionResult",
]


@pytest.fixture
def mypy(tmp_path):
    """Run mypy in an empty folder; returns its exit status and lines."""
    need("mypy", "mypy")

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"MYPYPATH": str(PACKAGE.parent), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        )
        assert done.stderr == ""
        return done.returncode, done.stdout.splitlines()

    return run


def test_the_package_is_clean(mypy):
    assert mypy("-p", "cellblock") == (0, [])


def test_users_get_the_types(mypy, tmp_path):
    (tmp_path / "use.py").write_text(USE)
    status, lines = mypy("use.py")
    revealed = [line.split('"')[1] for line in lines if "Revealed type" in line]
    # Versions of mypy write it in one way or the other.
    revealed = [re.sub(r"Union\[(.*), None\]", r"\1 | None", said) for said in revealed]
    assert revealed == REVEALED
    errors = [line for line in lines if "error:" in line]
    assert len(errors) == 1 and 'incompatible type "int"; expected "str"' in errors[0]
    assert status == 1


def test_the_stub_says_what_the_extension_has():
    """Every name of the extension stands in its stub, and no other."""
    import ast

    from cellblock import _native

    def names_of(body):
        found = {}
        for node in body:
            if isinstance(node, ast.ClassDef):
                found[node.name] = set(names_of(node.body))
            elif isinstance(node, ast.FunctionDef):
                found[node.name] = None
            elif isinstance(node, ast.AnnAssign):
                found[node.target.id] = None
        return found

    def real(thing, kept=()):
        return {name for name in vars(thing) if not name.startswith("_") or name in kept}

    stub = names_of(ast.parse((PACKAGE / "_native.pyi").read_text()).body)
    assert set(stub) == real(_native, kept={"__version__"})
    for name, members in stub.items():
        if members is not None:
            assert members == real(getattr(_native, name), kept={"__init__"} & members), name
