"""An app with the client of the Python SDK, used the way its documentation shows, in front of server-everything:

python app.py PROGRAM ARGUMENT…

Prints what it got as JSON. APP_MODE in its environment is the era: legacy, auto or a revision.
"""

import asyncio
import json
import os
import sys

from mcp import Client, MCPError, StdioServerParameters
from mcp_types import ElicitResult


async def main():
    asked = []

    async def elicit(context, params):
        asked.append(params.message)
        return ElicitResult(action="decline")

    first, *rest = sys.argv[1:]
    server = StdioServerParameters(command=first, args=rest, env=dict(os.environ))
    mode = os.environ.get("APP_MODE", "auto")
    async with Client(server, mode=mode, elicitation_callback=elicit) as client:
        tools = await client.list_tools()
        steps = []

        async def progressed(progress, total, message):
            steps.append(progress)

        long = {"duration": 0.5, "steps": 5}

        async def text(name, arguments, **more):
            result = await client.call_tool(name, arguments, **more)
            return "\n".join(getattr(part, "text", part.type) for part in result.content)

        async def refused():
            try:
                return (await client.call_tool("no-such-tool", {})).is_error
            except MCPError as error:
                return error.error.code

        report = {
            "tools": sorted(tool.name for tool in tools.tools),
            "echo": await text("echo", {"message": "hello"}),
            "long": await text("trigger-long-running-operation", long, progress_callback=progressed),
            "steps": len(steps),
            "prompt": (await client.get_prompt("args-prompt", {"city": "Paris"})).messages[0].content.text,
            "resource": (
                await client.read_resource("demo://resource/static/document/features.md")
            ).contents[0].mime_type,
            "elicited": await text("trigger-elicitation-request", {}),
            "asked": len(asked),
            "unknown": await refused(),
        }
        print(json.dumps(report))


asyncio.run(main())
