// A server of 2026-07-28 on version 2 of the TypeScript SDK, whose tools want an argument mirrored into a header, one of
// them in a way that the specification does not allow. `node mirrored.mjs` prints the address.

import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { listen } from "./sessions.mjs";

// It remarks on the tool that it offers all the same.
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
