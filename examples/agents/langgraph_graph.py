"""A graph of LangGraph's with a ToolNode and a memory: each thread has a session of its own.

The graph is the usual one, model → tools → model. Two users talk to it; what one of them computes
is there in that user's next turn, and the other does not see it.
"""

import sys

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from scripted.chat_model import chosen_chat_model, says
from scripted.model import arguments_of

from cellblock.langchain import CellblockTool

TURNS = [
    ("ann", "Keep the squares of 1 to 5 as `numbers`."),
    ("bob", "Is there anything called `numbers`?"),
    ("ann", "What is their sum?"),
]

SCRIPT = (
    says("", "numbers = [n * n for n in range(1, 6)]\nnumbers"),
    says("Kept: 1, 4, 9, 16, 25."),
    says("", "'numbers' in globals()"),
    says("No, there is not."),
    says("", "sum(numbers)"),
    says("It is 55."),
)


def build(model, python):
    """The graph with its memory."""
    bound = model.bind_tools([python])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": bound.invoke(state["messages"])})
    graph.add_node("tools", ToolNode([python]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=InMemorySaver())


def main():
    model = chosen_chat_model(arguments_of(__doc__), *SCRIPT)
    with CellblockTool() as python:
        graph = build(model, python)
        for thread, words in TURNS:
            config = {"configurable": {"thread_id": thread}}
            state = graph.invoke({"messages": [("user", words)]}, config)
            print(f"{thread}: {words}\n  → {state['messages'][-1].text}")
        total = python.session("ann").run("sum(numbers)").text
        print("ann's session says:", total)
    return 0 if total == "55" else 1


if __name__ == "__main__":
    sys.exit(main())
