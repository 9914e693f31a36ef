"""execute_python without a framework: code in, a result and its text for a model out."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from cellblock import AsyncSession, BadArgument, ExecutionResult, Executor, SecurityPolicy, Session
from cellblock.code_check import check_code
from cellblock.executor import default_executor
from cellblock.in_threads import in_thread
from cellblock.quoting import quote
from cellblock.session_slots import SessionSlot, SessionSlots


_ATTEMPTS = 2
_LOST = "The session had ended: variables and files are gone, this ran in a fresh one."


class PythonTool:
    """Runs the code that a framework's tool is given. Thread-safe; closed by close(), or when
    nothing refers to it any more.

    With ``session`` all code runs in it, and it stays open; else sessions are opened on
    ``executor`` (default: the shared one) with ``policy``, one for each key.
    """

    def __init__(
        self,
        executor: Executor | None = None,
        policy: SecurityPolicy | Mapping[str, Any] | None = None,
        session: Session | None = None,
        result_bytes: int | None = None,
    ):
        """``result_bytes`` bounds the text of one result; None: what the definition says.

        May wait until the executor is ready, for the definition. Raises BadArgument."""
        if session is not None and (executor is not None or policy is not None):
            raise BadArgument("Give a session, or an executor and a policy to open them, not both.")
        self._given = session
        self._executor = executor
        self._policy = policy
        #: All that is known of the tool, as `cellblock tool-schema --format json` prints it.
        self.definition = self._define()
        self._result_bytes = result_bytes or self.definition["model_text_bytes"]
        self._slots = SessionSlots()
        # A session that was given stays open.
        close_all = self._slots.close_all
        self._close = weakref.finalize(self, close_all) if session is None else None

    def session(self, key: str = "") -> Session:
        """The session of that key, opened if need be."""
        with self._slots.using(key) as slot:
            return slot.open(self._open)

    def run(self, key: str, code: str, timeout_s: float | None) -> tuple[ExecutionResult, str]:
        """Run code in the session of that key and wait. Raises BadArgument or TooLarge, with a
        sentence for the model, where the code cannot be run at all."""
        check_code(code)
        with self._slots.using(key) as slot:
            for _ in range(_ATTEMPTS):
                session = slot.open(self._open)
                result = session.run(code, timeout_s)
                if not _never_ran(result, session):
                    break
            return result, self._text(result, slot)

    async def run_async(
        self, key: str, code: str, timeout_s: float | None
    ) -> tuple[ExecutionResult, str]:
        """The same with await. A cancellation interrupts the code."""
        check_code(code)
        with self._slots.using(key) as slot:
            for _ in range(_ATTEMPTS):
                session = await in_thread(slot.open, self._open)
                result = await AsyncSession.around(session).run(code, timeout_s)
                if not _never_ran(result, session):
                    break
            return result, self._text(result, slot)

    def close(self) -> None:
        """Close the sessions that were opened here; what runs is cancelled. Twice is nothing."""
        if self._close is not None:
            self._close()

    def _define(self) -> dict[str, Any]:
        if self._given is not None:
            return self._given.tool_definition("json")
        return (self._executor or default_executor()).tool_definition("json", self._policy)

    def _open(self) -> Session:
        if self._given is None:
            return Session(self._policy, executor=self._executor)
        if self._given.ended is not None:
            raise self._given.ended
        return self._given

    def _text(self, result: ExecutionResult, slot: SessionSlot) -> str:
        text = quote(result.to_model_text(self._result_bytes))
        return text if slot.has_run(result) is None else f"{_LOST}\n{text}"


def _never_ran(result: ExecutionResult, session: Session) -> bool:
    """Whether the session expired between the look at it and the run."""
    return result.status == "host_error" and session.ended is not None
