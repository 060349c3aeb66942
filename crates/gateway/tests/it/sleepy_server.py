"""A server that notes its starts and calls in files of a folder, and takes its tool's description and delay from there."""

import json
import os
import sys
import time

FOLDER = sys.argv[1]


def note(name, line):
    with open(os.path.join(FOLDER, name), "a") as file:
        file.write(f"{line}\n")


def read(name, usual):
    try:
        with open(os.path.join(FOLDER, name)) as file:
            return file.read()
    except FileNotFoundError:
        return usual


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


note("starts", os.getpid())
if read("fails", ""):
    sys.stderr.write("the tide is out\n")
    os._exit(3)
time.sleep(float(read("delay", "0")))
asked = {}
TASK = {"taskId": "t", "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": None}


def tool(name, **more):
    description = read("description", "says which process answers")
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    params = message.get("params") or {}
    if method == "initialize":
        tasks = {"requests": {"tools": {"call": {}}}}
        capabilities = {"tools": {}, "resources": {"subscribe": True}, "tasks": tasks}
        info = {"name": "sleepy", "version": "1"}
        send({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info}})
    elif method == "tools/list":
        slow = tool("slow", execution={"taskSupport": "required"}, annotations={"readOnlyHint": True})
        send({"id": number, "result": {"tools": [tool("where"), tool("ask"), slow]}})
    elif method == "tools/call" and params["name"] == "ask":
        asked["question"] = number
        schema = {"type": "object", "properties": {"berth": {"type": "string"}}}
        send({"id": "question", "method": "elicitation/create", "params": {"message": "Which berth?", "requestedSchema": schema}})
    elif method == "tools/call" and params["name"] == "slow":
        send({"id": number, "result": {"task": {**TASK, "status": "working", "pollInterval": 200}}})
    elif method == "tools/call":
        note("calls", json.dumps(params.get("arguments") or {}))
        send({"id": number, "result": {"content": [{"type": "text", "text": str(os.getpid())}]}})
    elif method == "tasks/get":
        status = "completed" if read("done", "") else "working"
        send({"id": number, "result": {**TASK, "status": status, "pollInterval": 200}})
    elif method == "tasks/result":
        send({"id": number, "result": {"content": [{"type": "text", "text": str(os.getpid())}]}})
    elif method is None and number in asked:
        send({"id": asked.pop(number), "result": {"content": [{"type": "text", "text": str(os.getpid())}]}})
    elif method == "resources/list":
        send({"id": number, "result": {"resources": [{"uri": "tide://now", "name": "tide"}]}})
    elif method in ("resources/subscribe", "resources/unsubscribe", "ping"):
        send({"id": number, "result": {}})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "Method not found"}})
