"""Run by the tests with mcp 1.x installed: what a client of the handshake's era sees, as JSON."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--no-audit-log"])
    progress = []

    async def note(amount, total, message):
        progress.append(message)

    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        tools = await session.list_tools()

        async def run(code, **more):
            return await session.call_tool("execute_python", {"code": code}, **more)

        await run("x = 40")
        value = await run("x + 2")
        chart = await run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
        error = await run("1 / 0")
        await run("import time\nprint('tick'); time.sleep(0.5)", progress_callback=note)
        written = await run("open('out.txt', 'w').write('written');")
        link = next(block for block in written.content if block.type == "resource_link")
        file = await session.read_resource(link.uri)
        print(
            json.dumps(
                {
                    "version": hello.protocolVersion,
                    "tools": [tool.name for tool in tools.tools],
                    "value": value.structuredContent["text"],
                    "kinds": [block.type for block in chart.content],
                    "is_error": error.isError,
                    "error_text": error.content[0].text,
                    "progress": progress,
                    "file": file.contents[0].text,
                }
            )
        )


asyncio.run(main())
