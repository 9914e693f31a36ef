"""The wheel: built with the distribution's packages alone, installed into a fresh environment."""

import pathlib
import stat
import sysconfig
import zipfile

import pytest
from skips import need


@pytest.fixture(scope="module")
def wheel(build_folder, source, make_venv, tmp_path_factory):
    """Built without isolation and without the network, from the objects of the build under test."""
    for package in ("setuptools", "wheel", "pybind11"):
        need(package, f"python3-{package}")
    folder = tmp_path_factory.mktemp("wheel")
    built = make_venv("--system-site-packages").pip(
        *("wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", folder, source),
        CELLBLOCK_BUILD_FOLDER=str(build_folder),
    )
    assert built.returncode == 0, built.stderr
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel, make_venv):
    """A fresh environment that has the wheel, and nothing else of ours."""
    made = make_venv("--system-site-packages")
    done = made.pip("install", "--no-index", "--no-deps", wheel)
    assert done.returncode == 0, done.stderr
    return made


def test_its_name_says_for_whom_it_is(wheel):
    tag = f"cp{sysconfig.get_config_var('py_version_nodot')}"
    assert wheel.name.startswith("cellblock-")
    assert wheel.name.endswith(f"-{tag}-{tag}-linux_x86_64.whl")


def test_it_carries_what_is_needed_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        entries = {entry.filename: entry for entry in archive.infolist()}
        metadata = next(name for name in entries if name.endswith("/METADATA"))
        assert "License: Apache-2.0" in archive.read(metadata).decode()
    names = {name for name in entries if ".dist-info/" not in name}
    assert {
        "cellblock/__init__.py",
        "cellblock/_native.pyi",
        f"cellblock/_native{sysconfig.get_config_var('EXT_SUFFIX')}",
        "cellblock/e2b/__init__.py",
        "cellblock/programs/cellblock",
        "cellblock/programs/cellblock-zygote",
        "cellblock/py.typed",
    } <= names
    assert {name.split("/")[0] for name in names} == {"cellblock"}
    assert {pathlib.PurePath(name).suffix for name in names} <= {".py", ".pyi", ".typed", ".so", ""}
    for name in names:
        if name.startswith("cellblock/programs/"):
            assert entries[name].external_attr >> 16 & stat.S_IXOTH


def test_what_is_installed_runs_code(installed):
    out = installed.run(
        "python",
        "-c",
        """
import cellblock
with cellblock.Session() as session:
    print(session.run("6 * 7").text)
    print(session.isolation.level)
print(cellblock.__file__)
""",
    )
    text, level, place = out.split()
    assert (text, level) == ("42", level) and level in ("full", "reduced")
    assert place.startswith(str(installed.folder))


def test_sessions_have_the_packages_of_the_environment(installed):
    (site,) = installed.folder.glob("lib/python3*/site-packages")
    (site / "only_here.py").write_text("VALUE = 'from the environment'\n")
    out = installed.run(
        "python",
        "-c",
        """
import cellblock
with cellblock.Executor(preload=[]) as executor:
    policy = cellblock.SecurityPolicy(allowed_imports=["only_here"])
    print(executor.run("import only_here; only_here.VALUE", policy).text)
""",
    )
    assert out == "'from the environment'\n"


def test_the_command_line_comes_with_it(installed):
    assert installed.run("cellblock", "exec", "-c", "print(6 * 7)") == "42\n"
