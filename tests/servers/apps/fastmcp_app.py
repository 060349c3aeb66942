"""An app with the client of FastMCP, used the way its documentation shows, in front of server-everything:

python fastmcp_app.py PROGRAM ARGUMENT…

Prints what it got as JSON. APP_MODE in its environment is the era: legacy, auto or a revision.
"""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.elicitation import ElicitResult
from fastmcp.client.transports import StdioTransport


async def main():
    asked, steps = [], []

    async def elicit(message, response_type, params, context):
        asked.append(message)
        return ElicitResult(action="decline")

    async def progressed(progress, total, message):
        steps.append(progress)

    first, *rest = sys.argv[1:]
    transport = StdioTransport(command=first, args=rest, env=dict(os.environ))
    mode = os.environ.get("APP_MODE", "auto")
    async with Client(transport, mode=mode, elicitation_handler=elicit, progress_handler=progressed) as client:

        async def text(name, arguments):
            result = await client.call_tool(name, arguments)
            return "\n".join(getattr(part, "text", part.type) for part in result.content)

        report = {
            "tools": sorted(tool.name for tool in await client.list_tools()),
            "echo": await text("echo", {"message": "hello"}),
            "long": await text("trigger-long-running-operation", {"duration": 0.5, "steps": 5}),
            "steps": len(steps),
            "prompt": (await client.get_prompt("args-prompt", {"city": "Paris"})).messages[0].content.text,
            "resource": (await client.read_resource("demo://resource/static/document/features.md"))[0].mimeType,
            "elicited": await text("trigger-elicitation-request", {}),
            "asked": len(asked),
        }
        print(json.dumps(report))


asyncio.run(main())
