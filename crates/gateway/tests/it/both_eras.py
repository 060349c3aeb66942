# A server that supports both eras, asks questions only in a session, and lists a different tool in each:
# `both_eras.py [alone] [FILE] [era=FILE]`. With `alone`, as an argument or in the file of `era=` when it starts, it
# supports no sessions. FILE has the description of the tool `same`.
import json, os, sys

eras = [open(word[4:]).read() for word in sys.argv[1:] if word.startswith("era=")]
is_alone = "alone" in sys.argv[1:] + eras
files = [word for word in sys.argv[1:] if word != "alone" and not word.startswith("era=")]
VERSION = "io.modelcontextprotocol/protocolVersion"

def tool(name, description):
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}

def tools(era):
    described = open(files[0]).read() if files else "The same in both"
    own = tool("in_session", "Only there") if era == "session" else tool("by_itself", "Only there")
    return [tool("same", described), tool("asks", f"Asks, as of {era}"), own]

def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def text(words):
    return {"content": [{"type": "text", "text": json.dumps(words)}]}

asked = {}
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method is None:
        say({"id": asked.pop(id), "result": text(message.get("result", message.get("error")))})
        continue
    if id is None:
        continue
    era = "alone" if VERSION in (params.get("_meta") or {}) else "session"
    able = {"tools": {"listChanged": True}, **({"logging": {}} if era == "session" else {})}
    done = {"resultType": "complete"} if era == "alone" else {}
    cached = {"ttlMs": 0, "cacheScope": "private"} if era == "alone" else {}
    if method == "server/discover":
        say({"id": id, "result": {"supportedVersions": ["2026-07-28"], "capabilities": able, **done, **cached}})
    elif method == "initialize" and not is_alone:
        version = params["protocolVersion"]
        say({"id": id, "result": {"protocolVersion": version, "capabilities": able, "serverInfo": {"name": "both", "version": "1"}}})
    elif method == "tools/list":
        say({"id": id, "result": {"tools": tools(era), **done, **cached}})
    elif method == "tools/call" and params["name"] == "asks":
        if era == "alone":
            say({"id": id, "error": {"code": -32600, "message": "no back-channel"}})
            continue
        asked[f"q{id}"] = id
        form = {"message": "Which ship?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
        say({"id": f"q{id}", "method": "elicitation/create", "params": form})
    elif method == "tools/call":
        say({"id": id, "result": {**text({"era": era, "tool": params["name"], "pid": os.getpid()}), **done}})
    else:
        say({"id": id, "error": {"code": -32601, "message": "Method not found"}})
