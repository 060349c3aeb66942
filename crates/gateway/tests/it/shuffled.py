# A server that lists everything in a random order, like the iteration of a Go map, and is slow to start.
import json, random, sys, time
random.seed()
def shuffled(value):
    if isinstance(value, dict):
        items = [(key, shuffled(item)) for key, item in value.items()]
        random.shuffle(items)
        return dict(items)
    return value
def listed(make):
    items = [shuffled(make(at)) for at in range(9)]
    random.shuffle(items)
    return items
schema = {"type": "object", "properties": {name: {"type": "string", "title": name} for name in "dcba"}}
answers = {
    "tools/list": lambda: {"tools": listed(lambda at: {"name": f"tool{at}", "description": "d", "inputSchema": schema})},
    "prompts/list": lambda: {"prompts": listed(lambda at: {"name": f"prompt{at}", "description": "d"})},
    "resources/list": lambda: {"resources": listed(lambda at: {"uri": f"tide://r{at}", "name": "r", "mimeType": "text/plain"})},
    "resources/templates/list": lambda: {"resourceTemplates": listed(lambda at: {"uriTemplate": "tide://t%d/{x}" % at, "name": "t"})},
}
time.sleep(0.5)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        able = {"tools": {"listChanged": True}, "prompts": {}, "resources": {}}
        reply["result"] = {"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": {"name": "s", "version": "1"}, "instructions": "Mind the tide."}
    elif asked["method"] in answers:
        reply["result"] = answers[asked["method"]]()
    else:
        reply["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(reply), flush=True)
