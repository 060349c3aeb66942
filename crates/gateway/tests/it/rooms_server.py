"""A server that keeps one page for whoever uses it, and asks for roots: at once, or (with "later") once it was told to."""

import json
import os
import sys

LATER = "later" in sys.argv
roots, page, asked = None, None, 0


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def ask():
    global asked
    asked += 1
    send({"id": f"roots-{asked}", "method": "roots/list"})


def tool(name):
    return {"name": name, "description": name, "inputSchema": {"type": "object"}}


def call(name, arguments):
    global page
    if name == "open":
        page = arguments["page"]
    elif name == "ask":
        ask()
    elif name == "crash":
        os._exit(3)
    elif name == "note":
        send({"method": "notifications/resources/updated", "params": {"uri": "page://now"}})
    return json.dumps({"pid": os.getpid(), "roots": roots, "page": page})


for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method == "initialize":
        capabilities = {"tools": {}, "resources": {"subscribe": True}}
        info = {"name": "rooms", "version": "1"}
        send({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}})
    elif method == "notifications/initialized":
        if not LATER:
            ask()
    elif method == "notifications/roots/list_changed":
        ask()
    elif method is None and str(number).startswith("roots-"):
        roots = [root["uri"] for root in message.get("result", {}).get("roots", [])]
    elif method == "tools/list":
        send({"id": number, "result": {"tools": [tool(name) for name in ("where", "open", "ask", "crash", "note")]}})
    elif method == "tools/call":
        text = call(params["name"], params.get("arguments") or {})
        send({"id": number, "result": {"content": [{"type": "text", "text": text}]}})
    elif method == "resources/list":
        send({"id": number, "result": {"resources": [{"uri": "page://now", "name": "page"}]}})
    elif method == "resources/read":
        send({"id": number, "result": {"contents": [{"uri": "page://now", "text": str(page)}]}})
    elif method in ("resources/subscribe", "resources/unsubscribe", "ping"):
        send({"id": number, "result": {}})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "Method not found"}})
