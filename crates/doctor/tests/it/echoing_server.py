"""A server that repeats its secret in everything that it says about itself. Its mode says how it fails."""

import json
import os
import sys

MODE, SECRET = sys.argv[2], os.environ["SERVICE_KEY"]


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def fail(number, code, **more):
    send({"id": number, "error": {"code": code, "message": f"no access with {SECRET}", **more}})


print(f"ready with {SECRET}", file=sys.stderr, flush=True)
if MODE == "exit":
    sys.exit(f"ended with {SECRET}")
if MODE == "garbage":
    print(f"no message but {SECRET}", flush=True)
offers = 0
for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize" and MODE == "refuse":
        fail(number, -32603)
    elif method == "initialize" and MODE == "revision":
        send({"id": number, "result": {"protocolVersion": SECRET, "capabilities": {}, "serverInfo": {}}})
    elif method == "initialize" and offers == 0:
        # The next offer is accepted. The steps of the negotiation quote this error.
        offers += 1
        fail(number, -32602, data={"supported": ["2025-06-18"], "requested": "2025-11-25"})
    elif method == "initialize":
        info = {"name": f"echo {SECRET}", "title": SECRET, "version": SECRET}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, SECRET: 1}, "serverInfo": info}
        send({"id": number, "result": result})
    elif method == "tools/list" and MODE == "unlisted":
        fail(number, -32603, data={"key": SECRET})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": []}})
    elif number is not None:
        fail(number, -32601)
