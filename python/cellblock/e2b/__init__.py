"""Cellblock in the shape of E2B's Code Interpreter SDK: the import line is the change.

    from cellblock.e2b import Sandbox

    with Sandbox.create() as sandbox:
        sandbox.run_code("x = 1")
        print(sandbox.run_code("x += 1; x").text)  # 2

What E2B has and Cellblock does not (the network, shell commands, pausing, other languages) raises
:class:`cellblock.Unsupported` with what to use in its place. docs/python.md has the differences.
"""

from .async_sandbox import AsyncSandbox
from .exceptions import (
    FileNotFoundException,
    InvalidArgumentException,
    NotFoundException,
    SandboxException,
    TimeoutException,
    UnsupportedException,
)
from .files import EntryInfo, FileType, WriteInfo
from .models import (
    Chart,
    Context,
    Execution,
    ExecutionError,
    Logs,
    OutputMessage,
    Result,
    SandboxInfo,
)
from .sandbox import Sandbox

__all__ = [
    "AsyncSandbox",
    "Chart",
    "Context",
    "EntryInfo",
    "Execution",
    "ExecutionError",
    "FileNotFoundException",
    "FileType",
    "InvalidArgumentException",
    "Logs",
    "NotFoundException",
    "OutputMessage",
    "Result",
    "Sandbox",
    "SandboxException",
    "SandboxInfo",
    "TimeoutException",
    "UnsupportedException",
    "WriteInfo",
]
