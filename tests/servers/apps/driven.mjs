// An app with the TypeScript SDK's client that runs a test's instructions, in either era:
//   node driven.mjs (URL TOKEN | PROGRAM ARGUMENT…)
// Reads one line of JSON per action, `{"id", "do", …}`, and prints one when it ends, `{"id", "result"}` or `{"id",
// "error"}`. Also prints notifications (`told`), questions (`asked`) and the progress of its calls (`progress`, with
// the id in `of`). APP_REVISION in its environment sets the protocol version, and APP_FOLDER the root.

import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [first, ...rest] = process.argv.slice(2);
const { APP_REVISION: revision, APP_FOLDER: folder } = process.env;
// A reader of lines may take these two for line ends.
const onLine = (message) => JSON.stringify(message).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);
const print = (message) => process.stdout.write(`${onLine(message)}\n`);
const client = new Client(
  { name: "driven", version: "1.0.0" },
  { capabilities: { roots: { listChanged: true } }, ...(revision && { versionNegotiation: { mode: { pin: revision } } }) },
);
client.setRequestHandler("roots/list", async () => {
  print({ asked: "roots/list" });
  return { roots: folder ? [{ uri: folder }] : [] };
});
for (const list of ["tools", "prompts", "resources"]) {
  const method = `notifications/${list}/list_changed`;
  client.setNotificationHandler(method, () => print({ told: method }));
}
client.setNotificationHandler("notifications/resources/updated", ({ params }) => print({ told: "updated", uri: params.uri }));
const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: first, args: rest, env: process.env });

/** Actions that can be cancelled, by id. */
const running = new Map();
/** The subscription streams, by resource. */
const streams = new Map();
const acts = {
  open: () => client.connect(transport).then(() => ({ name: client.getServerVersion()?.name })),
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  prompt: ({ name }) => client.getPrompt({ name }),
  call({ id, name, arguments: given }) {
    const stopping = new AbortController();
    running.set(id, stopping);
    const onprogress = ({ progress, message }) => print({ progress, message, of: id });
    return client.callTool({ name, arguments: given }, { signal: stopping.signal, onprogress, resetTimeoutOnProgress: true });
  },
  cancel({ of }) {
    running.get(of).abort();
    return {};
  },
  read: ({ uri }) => client.readResource({ uri }),
  // In the stateless era it only gets the notifications that it listens to.
  listen: ({ filter }) => (revision ? client.listen(filter).then(() => ({})) : {}),
  async follow({ uri }) {
    if (!revision) return client.subscribeResource({ uri });
    streams.set(uri, await client.listen({ resourceSubscriptions: [uri] }));
    return {};
  },
  async unfollow({ uri }) {
    if (!revision) return client.unsubscribeResource({ uri });
    await streams.get(uri).close();
    return {};
  },
};

/** Runs an action and prints its outcome. */
async function act(task) {
  try {
    print({ id: task.id, result: await acts[task.do](task) });
  } catch (error) {
    print({ id: task.id, error: { code: error.code, message: error.message } });
  }
}

for await (const line of createInterface({ input: process.stdin })) void act(JSON.parse(line));
// Over HTTP a session outlives the client unless it is terminated.
await transport.terminateSession?.();
await client.close();
