# FastMCP's proxy in front of a server over stdio: on its own stdio, or over HTTP at a port.
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

port, command, *arguments = sys.argv[1:]
proxy = create_proxy(StdioTransport(command, arguments))
if port:
    proxy.run(transport="http", host="127.0.0.1", port=int(port), show_banner=False, log_level="error")
else:
    proxy.run(show_banner=False, log_level="error")
