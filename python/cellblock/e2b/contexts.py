"""The interpreters of a sandbox."""

from __future__ import annotations

import threading

from ..session import Session
from .exceptions import InvalidArgumentException, NotFoundException
from .models import Context


class Contexts:
    """The sandbox's own session, and the contexts that were opened in it. Thread-safe."""

    def __init__(self, session: Session):
        """There is the sandbox's own context."""
        self._lock = threading.Lock()
        self._own = Context(session.id)
        self._open = {session.id: (self._own, session)}

    def create(self, cwd: str | None) -> Context:
        """Open one, in a folder."""
        session = self._open[self._own.id][1].open_context()
        context = Context(session.id, cwd=cwd or self._own.cwd)
        try:
            _enter(session, cwd)
        except BaseException:
            session.close()
            raise
        with self._lock:
            self._open[context.id] = (context, session)
        return context

    def _find(self, context: Context | str) -> tuple[Context, Session]:
        name = context if isinstance(context, str) else context.id
        with self._lock:
            found = self._open.get(name)
        if found is None:
            raise NotFoundException(f"there is no context {name!r} in this sandbox")
        return found

    def session(self, context: Context | None) -> Session:
        """What runs a context's code; None: the sandbox's own."""
        return self._find(context or self._own)[1]

    def list(self) -> list[Context]:
        """All that are open."""
        with self._lock:
            return [context for context, _ in self._open.values()]

    def restart(self, context: Context | str) -> None:
        """Give it a fresh namespace, in its folder."""
        found, session = self._find(context)
        session.reset()
        if found.cwd != self._own.cwd:
            _enter(session, found.cwd)

    def remove(self, context: Context | str) -> None:
        """End it."""
        found, session = self._find(context)
        if found is self._own:
            raise InvalidArgumentException("the sandbox's own context ends with it: use kill()")
        with self._lock:
            self._open.pop(found.id, None)
        session.close()

    def close(self) -> None:
        """End all."""
        with self._lock:
            sessions = [session for _, session in self._open.values()]
        for session in sessions:
            session.close()


def _enter(session: Session, folder: str | None) -> None:
    """Make a folder the current one."""
    if folder is None:
        return
    result = session.run(f"__import__('os').chdir({folder!r})")
    if result.error is not None:
        raise InvalidArgumentException(
            f"cwd={folder!r} cannot be entered: {result.error.value}; write a file there first."
        )
