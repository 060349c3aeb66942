"""A server whose tool asks with a request while it runs, which only a session lets it: `python python_elicits.py sdk|fastmcp`."""

import sys

from pydantic import BaseModel

if sys.argv[1] == "fastmcp":
    from fastmcp import Context, FastMCP as Server

    quiet = {"show_banner": False}
else:
    from mcp.server.mcpserver import Context, MCPServer as Server

    quiet = {}

server = Server("asks-back", version="1.0.0")


class Ship(BaseModel):
    name: str = "Fair Wind"


@server.tool()
async def register(context: Context) -> str:
    answer = await context.elicit("Which ship?", Ship)
    return f"registered {answer.data.name}" if answer.action == "accept" else answer.action


server.run(**quiet)
