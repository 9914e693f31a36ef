"""Messages with calls of execute_python, as LangChain has them."""

from langchain_core.messages import AIMessage

DRAW = "import matplotlib.pyplot as plt\nplt.plot([1, 4, 9])\nplt.title('Squares')\nplt.show()"


def says(text="", *calls):
    """A message of a model with calls of execute_python: (id, arguments)."""
    return AIMessage(
        text, tool_calls=[{"name": "execute_python", "id": i, "args": a} for i, a in calls]
    )


def call(code, call_id="c1", **arguments):
    """A tool call as LangChain hands it to a tool."""
    return {
        "type": "tool_call",
        "name": "execute_python",
        "id": call_id,
        "args": {"code": code, **arguments},
    }
