// Serves sessions over HTTP with the transport of either major version.

import { randomUUID } from "node:crypto";

/** A handler with one server per session. */
export function sessions(Transport, build) {
  const open = new Map();
  return async (request, response) => {
    const known = open.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    if (request.headers["mcp-session-id"]) return response.writeHead(404).end();
    const transport = new Transport({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => open.set(id, transport) });
    await build().connect(transport);
    return transport.handleRequest(request, response);
  };
}

/** Listens on a free loopback port and prints the URL. */
export function listen(server) {
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
