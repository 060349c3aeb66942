# A server that returns the `_meta` of a call, and what the client declared. It has tools and pages only.
import json
import sys

UI = {"io.modelcontextprotocol/ui": {"own": 1}, "com.example/other": {}}
SERVER_INFO = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
declared = {}
for line in sys.stdin:
    asked = json.loads(line)
    method, params = asked.get("method"), asked.get("params") or {}
    if "id" not in asked:
        continue
    meta = params.get("_meta") or {}
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    if method == "initialize" and sys.argv[1] == "session":
        declared = params["capabilities"]
        able = {"tools": {"listChanged": True}, "extensions": UI}
        reply["result"] = {"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "server/discover" and sys.argv[1] == "stateless":
        able = {"tools": {}, "extensions": UI}
        reply["result"] = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": able, "ttlMs": 0, "cacheScope": "private"}
    elif method == "tools/list":
        tools = [
            {"name": "shown", "inputSchema": {"type": "object"}},
            {"name": "bare", "inputSchema": {"properties": {"a": {"type": "str"}}}},
            {"name": "odd", "inputSchema": {"type": "object", "properties": {"a": {"type": "file"}}}},
        ]
        reply["result"] = {"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
    elif method == "tools/call":
        found = meta.get("io.modelcontextprotocol/clientCapabilities", declared)
        shown = {"meta": meta, "declared": found}
        reply["result"] = {"content": [{"type": "text", "text": json.dumps(shown)}], "resultType": "complete", "_meta": SERVER_INFO}
    else:
        reply["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(reply), flush=True)
