"""Run by the tests with mcp 1.x installed: what a client of the handshake's era sees, as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client


async def main():
    url, token = sys.argv[1:]
    headers = {"Authorization": f"Bearer {token}"}
    progress = []

    async def note(amount, total, message):
        progress.append(message)

    async with (
        streamablehttp_client(url, headers=headers) as (read, write, session_id),
        ClientSession(read, write) as session,
    ):
        hello = await session.initialize()
        tools = await session.list_tools()

        async def run(code, python=None, **more):
            arguments = {"code": code} | ({"session_id": python} if python else {})
            return await session.call_tool("execute_python", arguments, **more)

        first = await run("x = 40")
        python = first.structuredContent["session_id"]
        value = await run("x + 2", python)
        fresh = await run("'x' in globals()")
        chart = await run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", python)
        error = await run("1 / 0", python)
        code = "import time\nprint('tick'); time.sleep(0.5)"
        await run(code, python, progress_callback=note)
        written = await run("open('out.txt', 'w').write('written');", python)
        link = next(block for block in written.content if block.type == "resource_link")
        file = await session.read_resource(link.uri)
        seen = {
            "version": hello.protocolVersion,
            "has_session": bool(session_id()),
            "tools": [tool.name for tool in tools.tools],
            "value": value.structuredContent["text"],
            "fresh": fresh.structuredContent["text"],
            "kinds": [block.type for block in chart.content],
            "is_error": error.isError,
            "error_text": error.content[0].text,
            "progress": progress,
            "file": file.contents[0].text,
        }
    print(json.dumps(seen))


asyncio.run(main())
