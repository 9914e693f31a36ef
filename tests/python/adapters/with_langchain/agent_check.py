"""In an agent, in a graph, with bind_tools by hand: the real packages, a scripted model."""

import asyncio

import pytest
from tool_messages import DRAW, says
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from scripted.chat_model import ScriptedChatModel

SCRIPT = (
    says("", ("c1", {"code": "prices = {'a': 3}\nprices['b']"})),
    says("", ("c2", {"code": 5})),
    says("", ("c3", {"code": "sum(prices.values())"})),
    says("It is 3."),
)


def model_of(*script):
    return ScriptedChatModel(script=list(script), told=[], tools=[])


def messages_of(state, kind):
    return [message for message in state["messages"] if isinstance(message, kind)]


def check(state):
    error, wrong, good = messages_of(state, ToolMessage)
    assert error.status == "error" and "KeyError: 'b'" in error.content
    assert wrong.status == "error" and "`code`" in wrong.content
    assert good.status == "success" and good.artifact["text"] == "3"
    assert state["messages"][-1].text == "It is 3."


def test_create_agent_reads_errors_and_goes_on(python):
    model = model_of(*SCRIPT)
    agent = create_agent(model, tools=[python])

    check(agent.invoke({"messages": [("user", "Sum the prices.")]}))

    assert model.tools[0].name == "execute_python"


def test_create_agent_with_await(python):
    agent = create_agent(model_of(*SCRIPT), tools=[python])

    check(asyncio.run(agent.ainvoke({"messages": [("user", "Sum the prices.")]})))


def test_the_model_sees_the_picture(python):
    model = model_of(says("", ("c1", {"code": DRAW})), says("A parabola."))
    agent = create_agent(model, tools=[python])

    agent.invoke({"messages": [("user", "Draw.")]})

    seen = model.told[-1][-1].content
    assert [block["type"] for block in seen] == ["text", "image"]


def test_bind_tools_by_hand(python):
    model = model_of(says("", ("c1", {"code": "6 * 7"})), says("42."))
    bound = model.bind_tools([python])
    messages = [HumanMessage("Compute.")]
    reply = bound.invoke(messages)
    while reply.tool_calls:
        messages += [
            reply,
            *(python.invoke(wanted | {"type": "tool_call"}) for wanted in reply.tool_calls),
        ]
        reply = bound.invoke(messages)

    assert reply.text == "42."
    assert messages[-1].artifact["text"] == "42"


@pytest.fixture
def graph(python):
    def build(*script):
        bound = model_of(*script).bind_tools([python])
        made = StateGraph(MessagesState)
        made.add_node("model", lambda state: {"messages": bound.invoke(state["messages"])})
        made.add_node("tools", ToolNode([python]))
        made.add_edge(START, "model")
        made.add_conditional_edges("model", tools_condition)
        made.add_edge("tools", "model")
        return made.compile(checkpointer=InMemorySaver())

    return build


def test_threads_of_a_graph_do_not_share_state_and_turns_do(graph):
    built = graph(
        says("", ("c1", {"code": "secret = 'ann'"})),
        says("Kept."),
        says("", ("c2", {"code": "secret"})),
        says("There is none."),
        says("", ("c3", {"code": "secret"})),
        says("ann."),
    )
    configs = [{"configurable": {"thread_id": name}} for name in ("ann", "bob", "ann")]

    states = [built.invoke({"messages": [("user", "Go.")]}, config) for config in configs]

    assert "NameError" in messages_of(states[1], ToolMessage)[-1].content
    # The checkpointer has stored content and artifact of the turn before.
    assert len(messages_of(states[2], ToolMessage)) == 2
    assert messages_of(states[2], ToolMessage)[-1].artifact["text"] == "'ann'"


def test_calls_of_one_message_run_in_one_session(graph):
    built = graph(
        says("", *((f"c{n}", {"code": f"x{n} = {n}"}) for n in range(4))),
        says("", ("c9", {"code": "x0 + x1 + x2 + x3"})),
        says("6."),
    )

    state = built.invoke({"messages": [("user", "Go.")]}, {"configurable": {"thread_id": "t"}})

    assert messages_of(state, ToolMessage)[-1].artifact["text"] == "6"
    assert isinstance(state["messages"][-1], AIMessage)
