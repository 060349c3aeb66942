// A server of 2026-07-28, built with version 2 of the TypeScript SDK. Its tools want an argument mirrored in a header,
// and one of them violates the specification. `node mirrored.mjs` prints its URL.

import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listen } from "./sessions.mjs";

// The SDK warns about the invalid tool but offers it anyway.
console.warn = () => {};
const build = () => {
  const server = new McpServer({ name: "mirrored", version: "1.0.0" });
  for (const [name, header] of [
    ["good", "Berth"],
    ["bad", "not a name"],
  ]) {
    const inputSchema = z.object({ berth: z.string().meta({ "x-mcp-header": header }) });
    server.registerTool(name, { inputSchema }, ({ berth }) => ({ content: [{ type: "text", text: `moored at ${berth}` }] }));
  }
  return server;
};

listen(createServer(toNodeHandler(createMcpHandler(build, { legacy: "reject" }))));
