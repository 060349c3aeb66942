"""A server built with FastMCP: `python fastmcp_server.py stdio|http`."""

import asyncio
import logging
import socket
import sys

import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from mcp_types import InputRequiredResult
from pydantic import BaseModel
from python_questions import answers, names

server = FastMCP("peer-fastmcp", version="1.0.0")


class Sum(BaseModel):
    sum: float


@server.tool(output_schema=None)
def echo(text: str) -> str:
    return text


@server.tool
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(output_schema=None)
def fail() -> str:
    raise ToolError("it went wrong on purpose")


@server.tool(output_schema=None)
async def count(to: int, context: Context) -> str:
    for progress in range(1, to + 1):
        await context.report_progress(progress, to)
    return f"counted to {to}"


@server.tool(output_schema=None)
async def wait() -> str:
    await asyncio.Event().wait()
    return "never"


@server.tool(output_schema=None)
async def log(context: Context) -> str:
    await context.log("mist", level="debug")
    await context.log("fog", level="warning")
    return "logged"


@server.tool(output_schema=None)
async def ask(context: Context) -> str | InputRequiredResult:
    return await answers(context)


@server.resource("peer://note", name="note", mime_type="text/plain")
def note() -> str:
    return "a note"


@server.resource("peer://notes/{name}", name="named", mime_type="text/plain")
def named(name: str) -> str:
    return f"a note for {name}"


@server.prompt
def greet(name: str) -> str:
    return f"Greet {name}."


@server.completion
def complete(reference, argument, context):
    return names(reference, argument)


if sys.argv[1:] == ["http"]:
    logging.disable()
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.http_app(), log_level="error")
    asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
else:
    server.run(show_banner=False)
