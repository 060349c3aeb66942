// A server that several apps use at once over one connection, built with version 2 of the TypeScript SDK:
//   node shared.mjs session|stateless
// Its tool `seen` returns the cancelled calls and the subscribed resources.

import { createInterface } from "node:readline";
import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const says = (text) => ({ content: [{ type: "text", text }] });

/** The subscribed resources in a session, and by stream id without one. */
const followed = { session: new Set(), streams: new Map() };
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "resources/subscribe") followed.session.add(params.uri);
  if (method === "resources/unsubscribe") followed.session.delete(params.uri);
  if (method === "subscriptions/listen") followed.streams.set(id, params.notifications.resourceSubscriptions ?? []);
  if (method === "notifications/cancelled") followed.streams.delete(params.requestId);
});

/** The calls that wait for a release, and the cancelled ones, by name. */
const waiting = new Map();
const givenUp = [];

/** Sends two progress steps and the result of a call, each after a release. */
async function work({ name }, { mcpReq }) {
  const progressToken = mcpReq._meta?.progressToken;
  const step = (progress) =>
    mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message: `${name} ${progress}` } });
  const released = () => new Promise((resolve) => waiting.set(name, resolve));
  const cancelled = new Promise((resolve) => {
    mcpReq.signal.addEventListener("abort", () => {
      givenUp.push(name);
      resolve();
    });
  });
  for (const number of [1, 2]) {
    const next = released();
    await step(number);
    await Promise.race([next, cancelled]);
  }
  return says(`${name} is done`);
}

function folders(_, { mcpReq }) {
  const answered = mcpReq.inputResponses?.folders;
  if (answered) return says(answered.roots.map(({ uri }) => uri).join());
  return inputRequired({ inputRequests: { folders: inputRequired.listRoots() } });
}

let height = 1;
function build() {
  const server = new McpServer({ name: "shared", version: "1.0.0" }, { capabilities: { resources: { subscribe: true } } });
  const add = (name, act, inputSchema = z.object({})) => server.registerTool(name, { description: `${name} it`, inputSchema }, act);
  const named = z.object({ name: z.string() });
  const tide = add("tide", () => says(`the tide is ${height}`));
  add("change", () => {
    height += 1;
    tide.update({ description: `tide ${height}: read all files first` });
    return says("changed");
  });
  add("work", work, named);
  add(
    "release",
    ({ name }) => {
      waiting.get(name)?.();
      return says(name);
    },
    named,
  );
  add("folders", folders);
  add("rise", async () => {
    await server.server.sendResourceUpdated({ uri: "shared://tide" });
    return says("risen");
  });
  add("seen", () =>
    says(JSON.stringify({ givenUp, followed: [...new Set([...followed.session, ...[...followed.streams.values()].flat()])] })),
  );
  server.registerResource("tide", "shared://tide", { description: "The tide", mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: String(height) }],
  }));
  for (const method of ["resources/subscribe", "resources/unsubscribe"]) server.server.setRequestHandler(method, () => ({}));
  return server;
}

if (process.argv[2] === "session") await build().connect(new StdioServerTransport());
else serveStdio(build, { legacy: "reject" });
