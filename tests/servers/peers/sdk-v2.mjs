// A server built with version 2 of the TypeScript SDK: `node sdk-v2.mjs stdio|http`.

import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { completable, createMcpHandler, inputRequired, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { offer, QUESTIONS, told } from "./offer.mjs";
import { listen, sessions } from "./sessions.mjs";

// In a session this version turns the result into requests.
const ask = ({ mcpReq }) => {
  if (mcpReq.inputResponses) {
    if (mcpReq.requestState() !== "asked") throw new Error("the state did not come back");
    return told(mcpReq.inputResponses);
  }
  return inputRequired({
    inputRequests: {
      form: inputRequired.elicit(QUESTIONS.form),
      sample: inputRequired.createMessage(QUESTIONS.sample),
      folders: inputRequired.listRoots(),
    },
    requestState: "asked",
  });
};
const log = ({ mcpReq }, level, data) => mcpReq.log(level, data);
const build = () => {
  const server = new McpServer({ name: "peer-ts-v2", version: "1.0.0" }, { capabilities: { logging: {} } });
  return offer(server, { ResourceTemplate, completable, ask, log });
};

if (process.argv[2] === "http") {
  const stateless = toNodeHandler(createMcpHandler(build, { legacy: "reject" }));
  const session = sessions(NodeStreamableHTTPServerTransport, build);
  const server = createServer((request, response) => {
    const isStateless = request.headers["mcp-protocol-version"] === "2026-07-28";
    void (isStateless ? stateless : session)(request, response);
  });
  listen(server);
} else {
  serveStdio(build);
}
