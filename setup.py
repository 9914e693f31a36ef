"""Builds the Python package `cellblock`: CMake compiles, setuptools packs.

CELLBLOCK_BUILD_FOLDER names a CMake build folder to use and keep; one that is there already must
have been configured for the same version of Python.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """Return the version: CMake's is the one."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(cellblock VERSION ([\d.]+)", text).group(1)


def pybind11_options():
    """Return where pybind11 is, when it is a Python package; CMake finds the system's itself."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


class CMakeBuild(build_ext):
    """Compiles the extension module and the programs that it starts, and puts them beside it."""

    def build_extension(self, extension):
        for program in ("cmake", "ninja"):
            if shutil.which(program) is None:
                sys.exit(
                    f"{program} is missing. Install what Cellblock is built with from the "
                    "distribution: `./dev packages` lists it."
                )
        folder = pathlib.Path(os.environ.get("CELLBLOCK_BUILD_FOLDER") or self.build_temp)
        folder = folder.resolve()
        if not (folder / "build.ninja").exists():
            self.configure(folder)
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "cellblock-python"])
        package = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve().parent
        subprocess.check_call(
            ["cmake", "--install", str(folder), "--strip"]
            + ["--component", "python", "--prefix", str(package)]
        )
        if not pathlib.Path(self.get_ext_fullpath(extension.name)).exists():
            sys.exit(
                f"{folder} was configured for another Python than {sys.executable} "
                f"({sysconfig.get_config_var('SOABI')}): name another CELLBLOCK_BUILD_FOLDER."
            )

    def configure(self, folder):
        """Configure a build of what the package needs, for the Python that runs this."""
        subprocess.check_call(
            ["cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"]
            + ["-DCMAKE_BUILD_TYPE=Release", "-DCELLBLOCK_BUILD_TESTS=OFF"]
            + [f"-DCELLBLOCK_PYTHON={sys.executable}"]
            + pybind11_options()
        )


setup(
    version=version(),
    ext_modules=[Extension("cellblock._native", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
