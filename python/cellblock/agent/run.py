"""run() and run_async(): the loop's steps, performed."""

import asyncio
import inspect
from collections.abc import Sequence
from typing import Any, Literal

from cellblock import AsyncSession, BadArgument, Session, Unsupported
from cellblock.in_threads import in_thread

from . import prompts
from .budget import Budget
from .loop import Action, Ask, Checkpoint, Loop, Rollback, Run
from .messages import Message, Request
from .progress import Progress
from .transcript import Transcript


def run(
    model: Any,
    task: str,
    session: Session,
    max_attempts: int = 3,
    budget: Budget | None = None,
    *,
    until: Literal["answer", "success"] = "answer",
    system: str | None = None,
    history: Sequence[Message] = (),
) -> Transcript:
    """Let a model do a task by writing code that runs in a session, and put its errors right.

    model         a callable that is given the messages (a list of dicts in the form of OpenAI's
                  chat) and gives text, None or a message as OpenAI's or Anthropic's API has it; or
                  an object with `reply(Request) -> Reply`, such as OpenAIModel and AnthropicModel;
                  its `takes_tools` says whether it hands on the request's tool
    session       a cellblock.Session; it is not closed, its variables stay for the next run
    max_attempts  pieces of code that may fail; with the last of them the run stops
    budget        further caps (default: Budget())
    until         "answer": until the model answers without code; "success": until code has run
                  without an error (then text without a fence is taken as code, too)
    system        what is added to the system message
    history       the messages of an earlier Transcript, to go on from there

    Before each piece of code the session's state is kept, and after a failure it is restored, where
    the session can; else a note in the transcript says that it cannot.

    Returns the Transcript, whatever the code did and whichever cap was reached: see `stop`.
    Raises AgentError, with the transcript so far, when the model or the session itself fails;
    cellblock.BadArgument for arguments
    that make no sense. Blocks; any thread.
    """
    if isinstance(session, AsyncSession):
        raise BadArgument("This session is asynchronous: await run_async(…) instead of run(…).")
    progress = Progress(_loop(model, session, task, max_attempts, budget, until, system, history))
    while progress.action is not None:
        try:
            outcome = _perform(model, session, progress.action)
        except Exception as error:
            progress.failed(error)
        else:
            progress.done(outcome)
    return progress.transcript()


async def run_async(
    model: Any,
    task: str,
    session: Session | AsyncSession,
    max_attempts: int = 3,
    budget: Budget | None = None,
    *,
    until: Literal["answer", "success"] = "answer",
    system: str | None = None,
    history: Sequence[Message] = (),
) -> Transcript:
    """As run(), with an AsyncSession or a Session, and a model that may be asynchronous.

    What is synchronous runs in a thread. Cancelling the call interrupts the code that runs.
    """
    awaited = session if isinstance(session, AsyncSession) else AsyncSession.around(session)
    await awaited.open()
    loop = await in_thread(
        _loop, model, awaited.sync, task, max_attempts, budget, until, system, history
    )
    progress = Progress(loop)
    while progress.action is not None:
        try:
            outcome = await _perform_async(model, awaited, progress.action)
        except Exception as error:
            progress.failed(error)
        else:
            progress.done(outcome)
    return progress.transcript()


def _loop(
    model: Any,
    session: Session,
    task: str,
    max_attempts: int,
    budget: Budget | None,
    until: Literal["answer", "success"],
    system: str | None,
    history: Sequence[Message],
) -> Loop:
    if not isinstance(task, str) or not task.strip():
        raise BadArgument("The task is empty: say in words what is to be done.")
    if isinstance(max_attempts, bool) or not isinstance(max_attempts, int) or max_attempts < 1:
        raise BadArgument(f"max_attempts is {max_attempts!r}: give a whole number of 1 or more.")
    if until not in ("answer", "success"):
        raise BadArgument(f"until is {until!r}: give 'answer' or 'success'.")
    tool = _tool(session.tool_definition("json"))
    takes_tools = bool(getattr(model, "takes_tools", False))
    opening = list(history)
    if not opening or opening[0].role != "system":
        described = None if takes_tools else tool["description"]
        opening.insert(0, Message("system", prompts.system_message(described, system)))
    tool_bytes = len(tool["description"]) + len(str(tool["parameters"])) if takes_tools else 0
    return Loop(task, tool, max_attempts, budget or Budget(), until, opening, tool_bytes)


def _tool(known: dict[str, Any]) -> dict[str, Any]:
    tool = {name: known[name] for name in ("name", "description", "short_description")}
    return tool | {"parameters": known["input_schema"]}


# --- one action, waiting -------------------------------------------------------------------------


def _perform(model: Any, session: Session, action: Action) -> Any:
    if isinstance(action, Ask):
        answer = _ask(model, action.request)
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise TypeError("it is asynchronous: await run_async(…) instead of run(…)")
        return answer
    if isinstance(action, Run):
        return session.run(action.code, action.timeout_s)
    return _rewind(session, action)


def _ask(model: Any, request: Request) -> Any:
    if hasattr(model, "reply"):
        return model.reply(request)
    return model([message.to_dict() for message in request.messages])


def _rewind(session: Session, action: Checkpoint | Rollback) -> Any:
    name = "checkpoint" if isinstance(action, Checkpoint) else "rollback"
    method = getattr(session, name, None)
    if method is None:
        raise Unsupported(f"This session has no {name}().")
    return method() if isinstance(action, Checkpoint) else method(action.checkpoint)


# --- one action, with await ----------------------------------------------------------------------


async def _perform_async(model: Any, session: AsyncSession, action: Action) -> Any:
    if isinstance(action, Ask):
        return await asyncio.wait_for(_ask_async(model, action.request), action.request.timeout_s)
    if isinstance(action, Run):
        return await session.run(action.code, action.timeout_s)
    return await in_thread(_rewind, session.sync, action)


async def _ask_async(model: Any, request: Request) -> Any:
    # Calling what is asynchronous only makes an awaitable; what is not may block.
    called = getattr(model, "reply", model)
    if inspect.iscoroutinefunction(called) or inspect.iscoroutinefunction(called.__call__):
        return await _ask(model, request)
    answer = await in_thread(_ask, model, request)
    return await answer if inspect.isawaitable(answer) else answer
