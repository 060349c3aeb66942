// An app with the TypeScript SDK's client, used as in its documentation, for server-everything:
//   node app.mjs (URL TOKEN | PROGRAM ARGUMENT…)
// Prints the results as JSON. APP_REVISION in its environment sets the protocol version.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [first, ...rest] = process.argv.slice(2);
const client = new Client(
  { name: "app", version: "1.0.0" },
  {
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } },
    ...(process.env.APP_REVISION && { versionNegotiation: { mode: { pin: process.env.APP_REVISION } } }),
  },
);
const asked = [];
client.setRequestHandler("elicitation/create", async (request) => {
  asked.push(request.params.message);
  return { action: "accept", content: { name: "Ada" } };
});
client.setRequestHandler("sampling/createMessage", async () => ({
  model: "the app's own",
  role: "assistant",
  content: { type: "text", text: "answered by the app" },
}));
client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///of-the-app", name: "of the app" }] }));
const transport = first.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(first), { requestInit: { headers: { authorization: `Bearer ${rest[0]}` } } })
  : new StdioClientTransport({ command: first, args: rest, env: process.env });
await client.connect(transport);

// The client drops a progress notification that arrives together with the answer, so they are counted on arrival.
let steps = 0;
const handle = transport.onmessage;
transport.onmessage = (message, extra) => {
  if (message.method === "notifications/progress") steps++;
  handle(message, extra);
};

const text = (result) => result.content.map((part) => part.text ?? part.type).join("\n");
const call = async (name, args, options) => text(await client.callTool({ name, arguments: args }, options));
const { tools } = await client.listTools();
const long = { duration: 0.5, steps: 5 };
const stopping = new AbortController();
const cancelled = call("trigger-long-running-operation", { duration: 30, steps: 3 }, { signal: stopping.signal }).then(
  () => "it ended",
  (error) => error.constructor.name,
);
setTimeout(() => stopping.abort(), 300);
const report = {
  server: client.getServerVersion().name,
  tools: tools.map((tool) => tool.name).sort(),
  echo: await call("echo", { message: "hello" }),
  structured: (await client.callTool({ name: "get-structured-content", arguments: { location: "Chicago" } })).structuredContent,
  image: await call("get-tiny-image", {}),
  long: await call("trigger-long-running-operation", long, { onprogress: () => {} }),
  steps,
  prompt: (await client.getPrompt({ name: "args-prompt", arguments: { city: "Paris" } })).messages[0].content.text,
  resource: (await client.readResource({ uri: "demo://resource/static/document/features.md" })).contents[0].mimeType,
  fromTemplate: (await client.readResource({ uri: "demo://resource/dynamic/text/1" })).contents[0].uri,
  completed: (
    await client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } })
  ).completion.values,
  elicited: await call("trigger-elicitation-request", {}),
  asked: asked.length,
  sampled: await call("trigger-sampling-request", { prompt: "p" }),
  cancelled: await cancelled,
  unknown: await call("no-such-tool", {}).catch((error) => error.code),
};
console.log(JSON.stringify(report));
await client.close();
