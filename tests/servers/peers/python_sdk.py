"""A server built with the Python SDK: `python python_sdk.py stdio|http`."""

import asyncio
import socket
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import Completion, InputRequiredResult
from pydantic import BaseModel
from python_questions import answers, names

server = MCPServer("peer-python", version="1.0.0")


class Sum(BaseModel):
    sum: float


@server.tool(structured_output=False)
def echo(text: str) -> str:
    return text


@server.tool()
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool()
def fail() -> str:
    raise ToolError("it went wrong on purpose")


@server.tool(structured_output=False)
async def count(to: int, context: Context) -> str:
    for progress in range(1, to + 1):
        await context.report_progress(progress, to)
    return f"counted to {to}"


@server.tool(structured_output=False)
async def wait() -> str:
    await asyncio.Event().wait()
    return "never"


@server.tool(structured_output=False)
async def log(context: Context) -> str:
    await context.log("debug", "mist")
    await context.log("warning", "fog")
    return "logged"


@server.tool(structured_output=False)
async def ask(context: Context) -> str | InputRequiredResult:
    return await answers(context)


@server.resource("peer://note", name="note", mime_type="text/plain")
def note() -> str:
    return "a note"


@server.resource("peer://notes/{name}", name="named", mime_type="text/plain")
def named(name: str) -> str:
    return f"a note for {name}"


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}."


@server.completion()
async def complete(reference, argument, context):
    return Completion(values=names(reference, argument))


if sys.argv[1:] == ["http"]:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
else:
    server.run()
