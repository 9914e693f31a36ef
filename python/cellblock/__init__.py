"""Python for a program or a model: in real CPython, one kernel-confined process per session.

>>> import cellblock
>>> with cellblock.Session() as session:
...     session.run("x = 20").ok
...     session.run("x * 2 + 2").text
True
'42'
"""

from ._native import __version__
from .aio import AsyncExecutor, AsyncSession
from .aio_running import AsyncRunning
from .display import DisplayData
from .errors import (
    BadArgument,
    BusyLimit,
    CellblockError,
    Expired,
    HostError,
    IsolationUnavailable,
    PolicyInvalid,
    TooLarge,
    UnknownSession,
    Unsupported,
)
from .executor import EngineInfo, Executor, Helper, default_executor, set_default_executor
from .named_sessions import close_session, execute_code
from .parts import (
    Changes,
    Completeness,
    Completion,
    ExecutionError,
    FileChanges,
    FileInfo,
    Inspection,
    Isolation,
    Late,
    Layer,
    OutputPage,
    RedactionReport,
    TraceContext,
    Truncated,
    Truncation,
    Usage,
    Variable,
    VariableChange,
)
from .policy import SecurityPolicy
from .result import ExecutionResult
from .running import Running
from .session import Session

__all__ = [
    "AsyncExecutor",
    "AsyncRunning",
    "AsyncSession",
    "BadArgument",
    "BusyLimit",
    "CellblockError",
    "Changes",
    "Completeness",
    "Completion",
    "DisplayData",
    "EngineInfo",
    "ExecutionError",
    "ExecutionResult",
    "Executor",
    "Expired",
    "FileChanges",
    "FileInfo",
    "Helper",
    "HostError",
    "Inspection",
    "Isolation",
    "IsolationUnavailable",
    "Late",
    "Layer",
    "OutputPage",
    "PolicyInvalid",
    "RedactionReport",
    "Running",
    "SecurityPolicy",
    "Session",
    "TooLarge",
    "TraceContext",
    "Truncated",
    "Truncation",
    "UnknownSession",
    "Unsupported",
    "Usage",
    "Variable",
    "VariableChange",
    "__version__",
    "close_session",
    "default_executor",
    "execute_code",
    "set_default_executor",
    "__version__",
]
