"""What the loop says to a model."""

from ..quoting import RULE, quote

SYSTEM = f"""You solve a task by writing Python that is run for you in a session.
Call the tool execute_python with one piece of code at a time. If you cannot call tools, put the \
code into one fenced block marked python.
Variables, imports and files stay from one piece of code to the next.
When code fails, read the error, say in one sentence what was wrong and send corrected code.
When the task is done, answer in plain text without any code block.
{RULE}"""

NOTHING_SAID = "Your reply was empty. Send Python code to run, or answer in plain text."
NO_CODE_YET = (
    "Your reply has no code. Send Python code to run; if no code is needed, give your answer again."
)
NO_CODE_AFTER_ERROR = (
    "Your last code failed, and your reply has no code. Send corrected code; if the task cannot be "
    "done, say so again."
)
CUT = "Your reply was cut off at the token limit: send shorter code."
NOT_RUN = "Not run: the code before it failed."

_STATE = {
    "kept": "What the code did before the error is kept.",
    "rolled_back": "The session is back in the state before this code: it left nothing behind.",
    "lost": "The session had to be started again: variables and imports are gone, files are kept.",
}


def system_message(description: str | None, more: str | None) -> str:
    """The system message. `description`: of the tool, for a model that is given no tools; `more`:
    what the caller adds."""
    return "\n\n".join(part for part in (SYSTEM, description, more) if part)


def result_message(text: str, failure: tuple[int, int, str] | None) -> str:
    """What the model reads of a result. `failure`: attempt, attempts at most and state."""
    if failure is None:
        return f"The code ran.\n{quote(text)}"
    attempt, most, state = failure
    return f"Attempt {attempt} of {most} failed. {_STATE[state]}\n{quote(text)}"
