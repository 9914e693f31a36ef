"""Run by the tests with mcp 2.x installed: what a client of the stateless era sees, as JSON."""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--no-audit-log"])
    progress = []

    async def note(amount, total, message):
        progress.append(message)

    async with Client(server) as client:
        tools = await client.list_tools()

        async def run(code, **more):
            return await client.call_tool("execute_python", {"code": code}, **more)

        await run("x = 40")
        value = await run("x + 2")
        chart = await run("import matplotlib.pyplot as plt\nplt.plot([1, 2]);")
        error = await run("1 / 0")
        await run("import time\nprint('tick'); time.sleep(0.5)", progress_callback=note)
        written = await run("open('out.txt', 'w').write('written');")
        link = next(block for block in written.content if block.type == "resource_link")
        file = await client.read_resource(link.uri)
        print(
            json.dumps(
                {
                    "version": client.protocol_version,
                    "tools": [tool.name for tool in tools.tools],
                    "value": value.structured_content["text"],
                    "kinds": [block.type for block in chart.content],
                    "is_error": error.is_error,
                    "error_text": error.content[0].text,
                    "progress": progress,
                    "file": file.contents[0].text,
                }
            )
        )


asyncio.run(main())
