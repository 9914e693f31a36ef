"""The packages for agents that tests use, and the virtual environments that have them.

Each is a function (binary, tmp_path_factory) → the path of a Python; see package_venv.
"""

import functools

import package_venv

langchain = functools.partial(package_venv.python_with, ["langchain==1.5.2", "langgraph==1.2.24"])
# In an environment of its own: it brings a numpy that the system's pandas cannot use.
langchain_tests = functools.partial(package_venv.python_with, ["langchain-tests==1.1.9"])
crewai = functools.partial(package_venv.python_with, ["crewai==1.15.30"], keep=["numpy"])
mcp = functools.partial(package_venv.python_with, ["mcp==1.30.0"])
