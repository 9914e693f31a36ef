"""A client of the Model Context Protocol: Python as tools of a server, `cellblock mcp`.

The client starts the server, lists its tools, gives them to a model and hands the model's calls on.
Any other client does the same with the same server.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from scripted.model import ScriptedModel, arguments_of, chosen_model

from cellblock import agent, locations
from cellblock.quoting import quote

QUESTION = "How many days were there from the first moon landing to the first of January 2000?"


def call(code):
    return agent.ToolCall("call-1", "execute_python", json.dumps({"code": code}))


SCRIPT = ScriptedModel(
    agent.Reply(tool_calls=(call("landing = datetime.date(1969, 7, 20)"),)),
    agent.Reply(tool_calls=(call("import datetime\nlanding = datetime.date(1969, 7, 20)"),)),
    agent.Reply(tool_calls=(call("(datetime.date(2000, 1, 1) - landing).days"),)),
    agent.Reply("11,122 days."),
)


async def converse(client, model, tool):
    """Until the model answers without a call, ten times at most."""
    messages = [agent.Message("user", QUESTION)]
    for _ in range(10):
        reply = ask(model, messages, tool)
        messages.append(reply.to_message())
        if not reply.tool_calls:
            return reply.text
        for wanted in reply.tool_calls:
            result = await client.call_tool(wanted.name, json.loads(wanted.arguments))
            text = "\n".join(part.text for part in result.content if part.type == "text")
            failed = as_sent(result).get("isError")
            print(f"{wanted.arguments}\n  → {'error' if failed else 'ok'}: {text}\n")
            messages.append(agent.Message("tool", quote(text), tool_call_id=wanted.id))
    return None


def as_sent(message):
    """With the protocol's own names: those of the SDK's attributes differ between its versions."""
    return message.model_dump(by_alias=True)


def ask(model, messages, tool):
    """One reply of a real model, or the script's next line."""
    if isinstance(model, ScriptedModel):
        return model(messages)
    return model.reply(agent.Request(tuple(messages), tool))


async def run(model):
    server = StdioServerParameters(command=locations.command_line(), args=["mcp"])
    async with stdio_client(server) as (reading, writing):
        async with ClientSession(reading, writing) as client:
            await client.initialize()
            tools = (await client.list_tools()).tools
            print("tools:", ", ".join(tool.name for tool in tools), "\n")
            python = next(tool for tool in tools if tool.name == "execute_python")
            definition = {
                "name": python.name,
                "description": python.description,
                "parameters": as_sent(python)["inputSchema"],
            }
            return await converse(client, model, definition)


def main():
    answer = asyncio.run(run(chosen_model(arguments_of(__doc__), SCRIPT)))
    print(answer)
    return 0 if answer else 1


if __name__ == "__main__":
    sys.exit(main())
