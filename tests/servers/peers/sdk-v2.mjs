// A server built with version 2 of the TypeScript SDK: `node sdk-v2.mjs stdio|http`.

import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { offer } from "./offer.mjs";

const build = () => offer(new McpServer({ name: "peer-ts-v2", version: "1.0.0" }), ResourceTemplate);

if (process.argv[2] === "http") {
  const handle = toNodeHandler(createMcpHandler(build));
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
} else {
  serveStdio(build);
}
