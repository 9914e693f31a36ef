"""A sandbox's files. Paths are relative to the workspace, for the code as for the caller."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from ..in_threads import in_thread
from ..parts import FileInfo
from ..session import Session
from .exceptions import FileNotFoundException, InvalidArgumentException, translated
from .unsupported import refuse

_WORKSPACE = "/workspace/"
_PIECE = 1 << 20


class FileType(enum.Enum):
    """What an entry of a folder is."""

    FILE = "file"
    DIR = "dir"


@dataclass
class WriteInfo:
    """A file that was written; ``path`` is what the code must use."""

    name: str
    type: FileType | None
    path: str


@dataclass
class EntryInfo(WriteInfo):
    """An entry of a folder; ``size`` in bytes, 0 for a folder."""

    size: int = 0


def _inside(path: str) -> str:
    """The path below the workspace."""
    return path.removeprefix(_WORKSPACE).removeprefix("./").rstrip("/")


def _entries(files: Iterable[FileInfo], path: str, depth: int) -> list[EntryInfo]:
    """What stands in a folder: the workspace tells files, the folders follow from them."""
    folder = _inside("" if path in (".", "/", "/workspace") else path)
    prefix = folder + "/" if folder else ""
    found: dict[str, EntryInfo] = {}
    for file in files:
        if not file.path.startswith(prefix):
            continue
        parts = file.path[len(prefix) :].split("/")
        for level in range(1, min(depth, len(parts)) + 1):
            entry = prefix + "/".join(parts[:level])
            is_file = level == len(parts)
            kind = FileType.FILE if is_file else FileType.DIR
            size = file.size if is_file else 0
            found.setdefault(entry, EntryInfo(parts[level - 1], kind, entry, size))
    if not found and folder:
        raise FileNotFoundException(f"there is no folder {path!r} with files in it")
    return [found[entry] for entry in sorted(found)]


def _info(files: Iterable[FileInfo], path: str) -> EntryInfo:
    wanted = _inside(path)
    for file in files:
        if file.path == wanted:
            return EntryInfo(wanted.rpartition("/")[2], FileType.FILE, wanted, file.size)
        if file.path.startswith(wanted + "/"):
            return EntryInfo(wanted.rpartition("/")[2], FileType.DIR, wanted)
    raise FileNotFoundException(f"there is no file {path!r}")


class Files:
    """The files of a :class:`Sandbox`."""

    def __init__(self, session: Session):
        """See :attr:`Sandbox.files`."""
        self._session = session

    def read(self, path: str, format: str = "text", **_: Any) -> Any:
        """A file's contents: ``text`` (str), ``bytes`` (bytearray) or ``stream`` (of bytes)."""
        if format not in ("text", "bytes", "stream"):
            raise InvalidArgumentException(f"format must be text, bytes or stream, not {format!r}")
        if not self.exists(path):
            raise FileNotFoundException(f"there is no file {path!r}")
        if format == "stream":
            return self._pieces(_inside(path))
        with translated():
            data = self._session.download(_inside(path))
        return data.decode(errors="replace") if format == "text" else bytearray(data)

    def _pieces(self, path: str) -> Iterator[bytes]:
        offset = 0
        while True:
            with translated():
                piece = self._session.download(path, offset, _PIECE)
            if not piece:
                return
            offset += len(piece)
            yield piece

    def write(self, path: str, data: str | bytes | BinaryIO, **_: Any) -> WriteInfo:
        """Write a file, with the folders on the way to it."""
        with translated():
            used = self._session.upload(_inside(path), data)
        return WriteInfo(used.rpartition("/")[2], FileType.FILE, used)

    def write_files(self, files: Iterable[Mapping[str, Any]], **_: Any) -> list[WriteInfo]:
        """Write several: ``[{"path": …, "data": …}]``."""
        return [self.write(file["path"], file["data"]) for file in files]

    def list(self, path: str = "", depth: int = 1, **_: Any) -> list[EntryInfo]:
        """The entries of a folder, ``depth`` levels deep. Empty folders are not seen."""
        if depth < 1:
            raise InvalidArgumentException("depth must be at least 1")
        with translated():
            files = self._session.files()
        return _entries(files, path, depth)

    def get_info(self, path: str, **_: Any) -> EntryInfo:
        """What a file is."""
        with translated():
            files = self._session.files()
        return _info(files, path)

    def exists(self, path: str, **_: Any) -> bool:
        """Whether there is such a file, or a folder with files in it."""
        try:
            self.get_info(path)
        except FileNotFoundException:
            return False
        return True

    def remove(self, path: str, **_: Any) -> None:
        """Not supported."""
        refuse("files.remove", "let the code do it: run_code(\"import os; os.remove('…')\")")

    def rename(self, old_path: str, new_path: str, **_: Any) -> EntryInfo:
        """Not supported."""
        refuse("files.rename", "let the code do it: run_code(\"import os; os.rename('…', '…')\")")

    def make_dir(self, path: str, **_: Any) -> bool:
        """Not supported, nor needed: write makes the folders on the way."""
        refuse("files.make_dir", "files.write makes the folders on the way to a file")

    def watch_dir(self, path: str, **_: Any) -> Any:
        """Not supported."""
        refuse("files.watch_dir", "each run tells in execution.details.files what it changed")


class AsyncFiles:
    """The files of an :class:`AsyncSandbox`: :class:`Files` with await."""

    def __init__(self, files: Files):
        """See :attr:`AsyncSandbox.files`."""
        self._files = files

    async def read(self, path: str, format: str = "text", **_: Any) -> Any:
        """See :meth:`Files.read`; ``stream`` is an ordinary iterator."""
        return await in_thread(self._files.read, path, format)

    async def write(self, path: str, data: str | bytes | BinaryIO, **_: Any) -> WriteInfo:
        """See :meth:`Files.write`."""
        return await in_thread(self._files.write, path, data)

    async def write_files(self, files: Iterable[Mapping[str, Any]], **_: Any) -> list[WriteInfo]:
        """See :meth:`Files.write_files`."""
        return await in_thread(self._files.write_files, files)

    async def list(self, path: str = "", depth: int = 1, **_: Any) -> list[EntryInfo]:
        """See :meth:`Files.list`."""
        return await in_thread(self._files.list, path, depth)

    async def get_info(self, path: str, **_: Any) -> EntryInfo:
        """See :meth:`Files.get_info`."""
        return await in_thread(self._files.get_info, path)

    async def exists(self, path: str, **_: Any) -> bool:
        """See :meth:`Files.exists`."""
        return await in_thread(self._files.exists, path)

    async def remove(self, path: str, **_: Any) -> None:
        """Not supported."""
        self._files.remove(path)

    async def rename(self, old_path: str, new_path: str, **_: Any) -> EntryInfo:
        """Not supported."""
        return self._files.rename(old_path, new_path)

    async def make_dir(self, path: str, **_: Any) -> bool:
        """Not supported, nor needed."""
        return self._files.make_dir(path)

    async def watch_dir(self, path: str, **_: Any) -> Any:
        """Not supported."""
        return self._files.watch_dir(path)
