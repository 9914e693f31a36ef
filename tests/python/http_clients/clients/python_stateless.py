"""Run by the tests with mcp 2.x installed: what a client of the stateless era sees, as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main():
    url, token = sys.argv[1:]
    progress = []

    async def note(amount, total, message):
        progress.append(message)

    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        tools = await client.list_tools()

        async def run(code, python=None, **more):
            arguments = {"code": code} | ({"session_id": python} if python else {})
            return await client.call_tool("execute_python", arguments, **more)

        first = await run("x = 40")
        python = first.structured_content["session_id"]
        value = await run("x + 2", python)
        fresh = await run("'x' in globals()")
        chart = await run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", python)
        error = await run("1 / 0", python)
        code = "import time\nprint('tick'); time.sleep(0.5)"
        await run(code, python, progress_callback=note)
        written = await run("open('out.txt', 'w').write('written');", python)
        link = next(block for block in written.content if block.type == "resource_link")
        file = await client.read_resource(link.uri)
        seen = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "value": value.structured_content["text"],
            "fresh": fresh.structured_content["text"],
            "kinds": [block.type for block in chart.content],
            "is_error": error.is_error,
            "error_text": error.content[0].text,
            "progress": progress,
            "file": file.contents[0].text,
        }
    print(json.dumps(seen))


asyncio.run(main())
