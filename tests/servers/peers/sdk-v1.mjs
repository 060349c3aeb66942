// A server built with version 1 of the TypeScript SDK: `node sdk-v1.mjs stdio|http`.

import { createServer } from "node:http";
import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CreateMessageResultSchema, ElicitResultSchema, ListRootsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { offer, QUESTIONS, told } from "./offer.mjs";
import { listen, sessions } from "./sessions.mjs";

// This version takes a schema's members, and the next one takes the schema.
const flat = (server) =>
  new Proxy(server, {
    get(target, name) {
      const value = target[name];
      if (name !== "registerTool" && name !== "registerPrompt") return typeof value === "function" ? value.bind(target) : value;
      return (title, { inputSchema, outputSchema, argsSchema, ...rest }, act) =>
        value.call(
          target,
          title,
          {
            ...rest,
            ...(inputSchema && { inputSchema: inputSchema.shape }),
            ...(outputSchema && { outputSchema: outputSchema.shape }),
            ...(argsSchema && { argsSchema: argsSchema.shape }),
          },
          act,
        );
    },
  });
const ask = async ({ sendRequest }) =>
  told({
    form: await sendRequest({ method: "elicitation/create", params: QUESTIONS.form }, ElicitResultSchema),
    sample: await sendRequest({ method: "sampling/createMessage", params: QUESTIONS.sample }, CreateMessageResultSchema),
    folders: await sendRequest({ method: "roots/list" }, ListRootsResultSchema),
  });
const build = () => {
  const server = new McpServer({ name: "peer-ts-v1", version: "1.0.0" }, { capabilities: { logging: {} } });
  const log = ({ sessionId }, level, data) => server.sendLoggingMessage({ level, data }, sessionId);
  offer(flat(server), { ResourceTemplate, completable, ask, log });
  return server;
};

if (process.argv[2] === "http") {
  listen(createServer(sessions(StreamableHTTPServerTransport, build)));
} else {
  await build().connect(new StdioServerTransport());
}
