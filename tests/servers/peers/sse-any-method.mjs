// An HTTP+SSE server with the transport of the TypeScript SDK, mounted for any method, as frameworks do. So a POST to
// its URL opens the stream as well. `node sse-any-method.mjs` prints the URL.

import { createServer } from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { z } from "zod";

const open = new Map();

async function stream(response) {
  const server = new McpServer({ name: "any-method", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: { text: z.string() } }, ({ text }) => ({ content: [{ type: "text", text }] }));
  const transport = new SSEServerTransport("/message", response);
  open.set(transport.sessionId, transport);
  response.on("close", () => open.delete(transport.sessionId));
  await server.connect(transport);
}

const server = createServer((request, response) => {
  const url = new URL(request.url, "http://localhost");
  if (url.pathname === "/sse") return void stream(response);
  const transport = url.pathname === "/message" && open.get(url.searchParams.get("sessionId"));
  return transport ? void transport.handlePostMessage(request, response) : response.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/sse`));
