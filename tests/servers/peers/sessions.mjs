// Serving sessions over HTTP with the transport of either major version.

import { randomUUID } from "node:crypto";

/** A handler that has a server for each session. */
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

/** Listens on a free port of loopback and prints the address. */
export function listen(server) {
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
