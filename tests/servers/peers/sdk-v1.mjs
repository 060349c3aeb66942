// A server built with version 1 of the TypeScript SDK: `node sdk-v1.mjs stdio|http`.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { offer } from "./offer.mjs";

// This version takes a schema's members where the next one takes the schema.
const flat = (server) =>
  new Proxy(server, {
    get(target, name) {
      const value = target[name];
      if (name !== "registerTool" && name !== "registerPrompt") return typeof value === "function" ? value.bind(target) : value;
      return (title, { inputSchema, outputSchema, argsSchema, ...rest }, act) =>
        value.call(target, title, {
          ...rest,
          ...(inputSchema && { inputSchema: inputSchema.shape }),
          ...(outputSchema && { outputSchema: outputSchema.shape }),
          ...(argsSchema && { argsSchema: argsSchema.shape }),
        }, act);
    },
  });
const build = () => {
  const server = new McpServer({ name: "peer-ts-v1", version: "1.0.0" });
  offer(flat(server), ResourceTemplate);
  return server;
};

if (process.argv[2] === "http") {
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known) return known.handleRequest(request, response);
    if (request.headers["mcp-session-id"]) return response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await build().connect(transport);
    return transport.handleRequest(request, response);
  });
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  await build().connect(new StdioServerTransport());
}
