"""Run by the tests with `mcp` of an era installed: what its client sees, as JSON.

python client.py handshake|stateless stdio CELLBLOCK
python client.py handshake|stateless http URL TOKEN
"""

import asyncio
import json
import sys
from contextlib import asynccontextmanager

_, ERA, TRANSPORT, *WHERE = sys.argv
PROGRAM = {"args": ["mcp", "--no-audit-log"]}


@asynccontextmanager
async def handshake():
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    if TRANSPORT == "stdio":
        streams = stdio_client(StdioServerParameters(command=WHERE[0], **PROGRAM))
    else:
        streams = streamablehttp_client(WHERE[0], headers=authorization())
    async with streams as (read, write, *session_id), ClientSession(read, write) as client:
        hello = await client.initialize()
        assert all(number() for number in session_id), "the server gave no Mcp-Session-Id"
        yield client, hello.protocolVersion


@asynccontextmanager
async def stateless():
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=authorization(), timeout=60) as http:
        if TRANSPORT == "stdio":
            server = StdioServerParameters(command=WHERE[0], **PROGRAM)
        else:
            server = streamable_http_client(WHERE[0], http_client=http)
        async with Client(server) as client:
            yield client, client.protocol_version


def authorization():
    return {"Authorization": f"Bearer {WHERE[1]}"} if TRANSPORT == "http" else {}


def either(result, old, new):
    """A field, whose name depends on the era."""
    return getattr(result, old if ERA == "handshake" else new)


def structured(result):
    return either(result, "structuredContent", "structured_content")


async def main():
    progress = []

    async def note(amount, total, message):
        progress.append(message)

    async with {"handshake": handshake, "stateless": stateless}[ERA]() as (client, version):
        tools = await client.list_tools()

        async def run(code, session_id=None, **more):
            arguments = {"code": code} | ({"session_id": session_id} if session_id else {})
            return await client.call_tool("execute_python", arguments, **more)

        first = await run("x = 40")
        # Over stdio the session is the process's own.
        python = structured(first)["session_id"] if TRANSPORT == "http" else None
        value = await run("x + 2", python)
        unnamed = await run("'x' in globals()")
        chart = await run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", python)
        error = await run("1 / 0", python)
        code = "import time\nprint('tick'); time.sleep(0.5)"
        await run(code, python, progress_callback=note)
        written = await run("open('out.txt', 'w').write('written');", python)
        link = next(block for block in written.content if block.type == "resource_link")
        file = await client.read_resource(link.uri)
        seen = {
            "version": version,
            "tools": [tool.name for tool in tools.tools],
            "value": structured(value)["text"],
            "unnamed_knows_x": structured(unnamed)["text"],
            "kinds": [block.type for block in chart.content],
            "is_error": either(error, "isError", "is_error"),
            "error_text": error.content[0].text,
            "progress": progress,
            "file": file.contents[0].text,
        }
    print(json.dumps(seen))


asyncio.run(main())
