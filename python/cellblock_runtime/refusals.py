"""What a cell is told when it may not import a module or make a call.

The words are for who writes the code, most often a model: what is refused, and what to do instead.
Called by the import guard in C++ (`refusal`) and by the reading of a cell; runs no user code.
"""

from errno import EPERM
from sys import modules

from . import packages
from .own_builtins import __builtins__  # noqa: F401

_PROCESS = (
    "side effects go through the host's tools; for files use open() in the workspace",
    "subprocess multiprocessing pty pexpect sh asyncio.subprocess concurrent.futures.process "
    "os.system os.popen os.exec os.fork os.forkpty os.posix_spawn os.spawn subprocess.Popen "
    "pty.spawn posix _posixsubprocess psutil joblib.externals.loky",
)
_NETWORK = (
    "there is no network; work with the files of the workspace",
    "socket _socket ssl _ssl http urllib requests httpx aiohttp urllib3 websockets ftplib smtplib "
    "poplib imaplib nntplib telnetlib socketserver xmlrpc wsgiref smtpd asyncore asynchat boto3 "
    "paramiko webbrowser pyarrow.flight",
)
_NATIVE = (
    "native code is not loaded by cells; use what numpy and the other allowed packages offer",
    "ctypes _ctypes cffi cython Cython pyximport llvmlite numpy.f2py numpy.distutils "
    "sqlite3.load_extension sqlite3.enable_load_extension",
)
_INSTALL = (
    "packages cannot be installed; use those that are there",
    "pip ensurepip venv setuptools pkg_resources distutils conda wheel",
)
_SCREEN = (
    "there is no screen and no terminal; results and matplotlib figures are shown by themselves",
    "tkinter turtle turtledemo idlelib curses readline termios tty pygame PyQt5 PyQt6 PySide6 "
    "code cmd pdb bdb",
)
_INSTEAD = {
    name: instead
    for instead, names in (_PROCESS, _NETWORK, _NATIVE, _INSTALL, _SCREEN)
    for name in names.split()
}
_CALL_GROUPS = {"os": _PROCESS, "socket": _NETWORK, "ctypes": _NATIVE}
_NO_INSTEAD = "use one of the allowed packages, or plain Python"


class ImportRefused(ImportError):
    """A module that the session's policy does not offer to user code."""


class CallRefused(PermissionError):
    """A call that the session's policy does not offer to user code."""


# To the user they are what they would be elsewhere.
for _kind, _base in ((ImportRefused, ImportError), (CallRefused, PermissionError)):
    _kind.__name__ = _kind.__qualname__ = _base.__name__
    _kind.__module__ = "builtins"


def refusal(kind, name):
    """The exception for a refused "import" or "call"; None for a module that is not there."""
    if kind == "call":
        return CallRefused(EPERM, f"{name} is not available here: {_instead(name)}")
    if name.partition(".")[0] not in modules and not packages.is_installed(name):
        return None
    if packages.is_in_workspace(name):
        return None
    text = f"{name} is not available here (the session's import policy leaves it out)"
    return ImportRefused(f"{text}: {_instead(name)}", name=name)


def is_known(name):
    """Whether a module is one of those that something is said about."""
    return name in _INSTEAD


def _instead(name):
    part = name
    while part:
        if part in _INSTEAD:
            return _INSTEAD[part]
        part = part.rpartition(".")[0]
    group = _CALL_GROUPS.get(name.partition(".")[0])
    return group[0] if group else _NO_INSTEAD
