"""An app with a client in Python that does what it is told, one thing after the other:

python driven.py LIBRARY PROGRAM ARGUMENT…

LIBRARY is sdk (the official one), sdk-2025 (as it was in 2025) or fastmcp. The lines are those of driven.mjs. With
APP_REVISION in its environment it speaks that revision.
"""

import asyncio
import contextlib
import json
import os
import sys

library, first, *rest = sys.argv[1:]
revision = os.environ.get("APP_REVISION")


def show(message):
    print(json.dumps(message), flush=True)


async def on_message(message):
    notification = getattr(message, "root", message)
    # Of a stream of changes it is told by its events as well.
    if not revision and type(notification).__name__ == "ResourceUpdatedNotification":
        show({"told": "updated", "uri": str(notification.params.uri)})


class OfToday:
    """The client of the official SDK."""

    def __init__(self):
        from mcp import Client, StdioServerParameters

        server = StdioServerParameters(command=first, args=rest, env=dict(os.environ))
        self.client = Client(server, mode=revision or "legacy", message_handler=on_message)
        self.streams = contextlib.AsyncExitStack()
        self.reading = set()

    async def __aenter__(self):
        await self.client.__aenter__()
        return self

    async def __aexit__(self, *ended):
        for task in self.reading:
            task.cancel()
        await self.streams.aclose()
        await self.client.__aexit__(*ended)

    async def resources(self):
        return (await self.client.list_resources()).resources

    async def templates(self):
        return (await self.client.list_resource_templates()).resource_templates

    async def tools(self):
        return (await self.client.list_tools()).tools

    async def call(self, name, arguments):
        return await self.client.call_tool(name, arguments)

    async def prompt(self, name):
        return await self.client.get_prompt(name)

    async def read(self, uri):
        return await self.client.read_resource(uri)

    async def follow(self, uri):
        if not revision:
            return await self.client.subscribe_resource(uri)
        stream = await self.streams.enter_async_context(self.client.listen(resource_subscriptions=[uri]))

        async def tell():
            async for event in stream:
                show({"told": "updated", "uri": str(event.uri)})

        self.reading.add(asyncio.create_task(tell()))


class Of2025(OfToday):
    """The session of the official SDK, whose addresses are parsed."""

    def __init__(self):
        self.streams = contextlib.AsyncExitStack()
        self.reading = set()

    async def __aenter__(self):
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client

        server = StdioServerParameters(command=first, args=rest, env=dict(os.environ))
        streams = await self.streams.enter_async_context(stdio_client(server))
        session = ClientSession(*streams, message_handler=on_message)
        self.client = await self.streams.enter_async_context(session)
        await self.client.initialize()
        return self

    async def __aexit__(self, *ended):
        await self.streams.aclose()

    async def templates(self):
        return (await self.client.list_resource_templates()).resourceTemplates

    async def read(self, uri):
        from pydantic import AnyUrl

        return await self.client.read_resource(AnyUrl(uri))

    async def follow(self, uri):
        from pydantic import AnyUrl

        return await self.client.subscribe_resource(AnyUrl(uri))


class OfFastMCP(OfToday):
    """The client of FastMCP."""

    def __init__(self):
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport

        transport = StdioTransport(command=first, args=rest, env=dict(os.environ))
        self.client = Client(transport, mode=revision or "legacy", message_handler=on_message)
        self.streams = contextlib.AsyncExitStack()
        self.reading = set()

    async def resources(self):
        return await self.client.list_resources()

    async def templates(self):
        return await self.client.list_resource_templates()

    async def tools(self):
        return await self.client.list_tools()

    async def call(self, name, arguments):
        return await self.client.call_tool_mcp(name, arguments)

    async def read(self, uri):
        return await self.client.read_resource_mcp(uri)

    async def follow(self, uri):
        return await self.client.session.subscribe_resource(uri)


def plain(result):
    """What a client gives, as JSON has it."""
    if isinstance(result, list):
        return [plain(one) for one in result]
    return {} if result is None else result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main():
    async with {"sdk": OfToday, "sdk-2025": Of2025, "fastmcp": OfFastMCP}[library]() as app:
        acts = {
            "open": lambda task: asyncio.sleep(0),
            "listen": lambda task: asyncio.sleep(0),
            "tools": lambda task: app.tools(),
            "resources": lambda task: app.resources(),
            "templates": lambda task: app.templates(),
            "call": lambda task: app.call(task["name"], task["arguments"]),
            "prompt": lambda task: app.prompt(task["name"]),
            "read": lambda task: app.read(task["uri"]),
            "follow": lambda task: app.follow(task["uri"]),
        }
        while line := await asyncio.to_thread(sys.stdin.readline):
            task = json.loads(line)
            try:
                show({"id": task["id"], "result": plain(await acts[task["do"]](task))})
            except Exception as error:
                show({"id": task["id"], "error": {"message": f"{type(error).__name__}: {error}"}})


asyncio.run(main())
