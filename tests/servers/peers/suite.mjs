// The server for the official conformance suite's server scenarios, built with version 2 of the TypeScript SDK: `node
// suite.mjs stdio [session|stateless]`, or `node suite.mjs http`. Without an era it serves the client's. Names and
// texts are those of the scenarios' descriptions.

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";
import { listen, sessions } from "./sessions.mjs";

/** An image of one pixel, and an audio clip without samples. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

const states = createRequestStateCodec({ key: randomBytes(32) });
/** Whether the tool and the prompt that can be removed currently exist. */
const isOffered = { tool: true, prompt: true };

const text = (words) => ({ type: "text", text: words });
const image = { type: "image", data: PNG, mimeType: "image/png" };
const says = (...content) => ({ content });
const fromUser = (...content) => ({ messages: content.map((part) => ({ role: "user", content: part })) });
const embedded = (uri, mimeType, words) => ({ type: "resource", resource: { uri, mimeType, text: words } });
const form = (message, properties, required = Object.keys(properties)) =>
  inputRequired.elicit({ message, requestedSchema: { type: "object", properties, required } });
const sample = (words, maxTokens = 100) => inputRequired.createMessage({ messages: [{ role: "user", content: text(words) }], maxTokens });
const options = (kind, title) => [1, 2, 3].map((number) => ({ const: `${kind}${number}`, title: `${title} ${number}` }));

const NAME = form("What is your name?", { name: { type: "string" } });
const CONFIRM = form("Please confirm", { ok: { type: "boolean" } });
const DEFAULTS = form(
  "Please review the defaults",
  {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  [],
);
const ENUMS = form(
  "Please choose",
  {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: options("value", "Option") },
    legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option 1", "Option 2", "Option 3"] },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: options("value", "Choice") } },
  },
  [],
);

/** The tools that answer without asking. */
function addPlainTools(add) {
  add("test_simple_text", () => says(text("This is a simple text response for testing.")));
  add("test_image_content", () => says(image));
  add("test_audio_content", () => says({ type: "audio", data: WAV, mimeType: "audio/wav" }));
  add("test_embedded_resource", () => says(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")));
  add("test_multiple_content_types", () => {
    const data = JSON.stringify({ test: "data", value: 123 });
    return says(text("Multiple content types test:"), image, embedded("test://mixed-content-resource", "application/json", data));
  });
  add("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  add("test_tool_with_logging", async (_, { mcpReq }) => {
    for (const step of ["started", "processing data", "completed"]) await mcpReq.log("info", `Tool execution ${step}`);
    return says(text("Logged"));
  });
  add("test_logging_tool", async (_, { mcpReq }) => {
    await mcpReq.log("info", "Only for whoever wants to hear it");
    return says(text("Logged"));
  });
  add("test_tool_with_progress", async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    return says(text(String(progressToken)));
  });
}

/** The tools that ask, and return the answer. `ask` registers a tool that asks once. */
function addAskingTools(server, add) {
  const ask = (name, requests, { state, schema } = {}) =>
    add(
      name,
      async (given, { mcpReq }) => {
        const answers = mcpReq.inputResponses ?? {};
        const inputRequests = requests(given);
        const isAnswered = Object.entries(inputRequests).every(([key, { method }]) =>
          method === "elicitation/create" ? answers[key]?.action !== undefined : answers[key] !== undefined,
        );
        const isKnown = state === undefined || mcpReq.requestState()?.kind === state;
        if (isAnswered && isKnown) return says(text(JSON.stringify(answers)));
        return inputRequired({ inputRequests, ...(state && { requestState: await states.mint({ kind: state }) }) });
      },
      schema,
    );
  const response = { response: { type: "string" } };
  ask("test_elicitation", ({ message }) => ({ answer: form(message, response) }), { schema: z.object({ message: z.string() }) });
  ask("test_sampling", ({ prompt }) => ({ answer: sample(prompt) }), { schema: z.object({ prompt: z.string() }) });
  ask("test_elicitation_sep1034_defaults", () => ({ answer: DEFAULTS }));
  ask("test_elicitation_sep1330_enums", () => ({ answer: ENUMS }));
  ask("test_missing_capability", () => ({ answer: sample("Anything") }));
  ask("test_streaming_elicitation", () => ({ user_name: NAME }));
  ask("test_input_required_result_elicitation", () => ({ user_name: NAME }));
  ask("test_input_required_result_sampling", () => ({ capital_question: sample("What is the capital of France?") }));
  ask("test_input_required_result_list_roots", () => ({ client_roots: inputRequired.listRoots() }));
  ask("test_input_required_result_request_state", () => ({ confirm: CONFIRM }), { state: "confirm" });
  ask("test_input_required_result_tampered_state", () => ({ confirm: CONFIRM }), { state: "tampered" });
  const three = () => ({ user_name: NAME, greeting: sample("Generate a greeting"), client_roots: inputRequired.listRoots() });
  ask("test_input_required_result_multiple_inputs", three, { state: "three" });
  add("test_input_required_result_multi_round", async (_, { mcpReq }) => {
    const { name } = acceptedContent(mcpReq.inputResponses, "step1") ?? {};
    const { color } = acceptedContent(mcpReq.inputResponses, "step2") ?? {};
    const state = mcpReq.requestState();
    if (state?.round === 2 && color !== undefined) return says(text(`${state.name} likes ${color}`));
    if (state?.round === 1 && name !== undefined) {
      const requestState = await states.mint({ round: 2, name });
      const step2 = form("Step 2: What is your favorite color?", { color: { type: "string" } });
      return inputRequired({ inputRequests: { step2 }, requestState });
    }
    const step1 = form("Step 1: What is your name?", { name: { type: "string" } });
    return inputRequired({ inputRequests: { step1 }, requestState: await states.mint({ round: 1 }) });
  });
  add("test_input_required_result_capabilities", (_, { mcpReq }) => {
    const declared = mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {};
    const inputRequests = {
      ...(declared.elicitation && { elicit_input: NAME }),
      ...(declared.sampling && { sample_input: sample("Anything") }),
    };
    const isDone = mcpReq.inputResponses !== undefined || Object.keys(inputRequests).length === 0;
    return isDone ? says(text(Object.keys(mcpReq.inputResponses ?? {}).join(","))) : inputRequired({ inputRequests });
  });
}

function addResources(server) {
  const about = (description, mimeType) => ({ description, mimeType });
  const reads =
    (mimeType, content) =>
    ({ href: uri }) => ({ contents: [{ uri, mimeType, ...content }] });
  const words = { text: "This is the content of the static text resource." };
  server.registerResource("static-text", "test://static-text", about("A text", "text/plain"), reads("text/plain", words));
  server.registerResource("static-binary", "test://static-binary", about("A picture", "image/png"), reads("image/png", { blob: PNG }));
  const watched = reads("text/plain", { text: "Watched resource content" });
  server.registerResource("watched-resource", "test://watched-resource", about("Can be followed", "text/plain"), watched);
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, about("Data of an id", "application/json"), (uri, { id }) =>
    reads("application/json", { text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) })(uri),
  );
  for (const method of ["resources/subscribe", "resources/unsubscribe"]) server.server.setRequestHandler(method, () => ({}));
}

function addPrompts(server) {
  const add = (name, description, argsSchema, get) => server.registerPrompt(name, { description, argsSchema }, get);
  add("test_simple_prompt", "Without arguments", undefined, () => fromUser(text("This is a simple prompt for testing.")));
  const argument = (name) => completable(z.string(), (value) => [`${value} ${name}`]);
  add("test_prompt_with_arguments", "With arguments", z.object({ arg1: argument("one"), arg2: argument("two") }), ({ arg1, arg2 }) =>
    fromUser(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  add("test_prompt_with_embedded_resource", "With a resource", z.object({ resourceUri: z.string() }), ({ resourceUri }) =>
    fromUser(
      embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
      text("Please process the embedded resource above."),
    ),
  );
  add("test_prompt_with_image", "With a picture", undefined, () => fromUser(image, text("Please analyze the image above.")));
  add("test_input_required_result_prompt", "Asks first", undefined, ({ mcpReq }) => {
    const { context } = acceptedContent(mcpReq.inputResponses, "user_context") ?? {};
    if (context !== undefined) return fromUser(text(context));
    const user_context = form("What context should the prompt use?", { context: { type: "string" } });
    return inputRequired({ inputRequests: { user_context } });
  });
}

/** The tools that remove and restore the tool and the prompt. */
function addChanges(server, add, announce) {
  const items = {
    tool: add("test_dynamic_tool", () => says(text("I come and go."))),
    prompt: server.registerPrompt("test_dynamic_prompt", { description: "Comes and goes" }, () => fromUser(text("Here."))),
  };
  for (const [kind, item] of Object.entries(items)) {
    item.update({ enabled: isOffered[kind] });
    add(`test_trigger_${kind}_change`, () => {
      isOffered[kind] = !isOffered[kind];
      if (announce) announce(kind);
      else item.update({ enabled: isOffered[kind] });
      return says(text("Changed"));
    });
  }
}

/** `announce` sends change notifications if each request has its own server. Other servers send them themselves. */
function build(announce) {
  const server = new McpServer(
    { name: "suite", version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } }, requestState: { verify: states.verify } },
  );
  const add = (name, act, inputSchema = z.object({})) =>
    server.registerTool(name, { description: `What the scenarios call ${name}`, inputSchema }, act);
  addPlainTools(add);
  addAskingTools(server, add);
  addResources(server);
  addPrompts(server);
  addChanges(server, add, announce);
  return server;
}

/** Whether the host and the origin are local (DNS rebinding). */
function isLocal({ headers: { host, origin = "http://localhost" } }) {
  return [`http://${host}`, origin].every((url) => /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(url));
}

const [transport, era] = process.argv.slice(2);
if (transport === "http") {
  const announce = (kind) => (kind === "tool" ? handler.notify.toolsChanged() : handler.notify.promptsChanged());
  const handler = createMcpHandler(() => build(announce), { legacy: "reject" });
  const stateless = toNodeHandler(handler);
  const session = sessions(NodeStreamableHTTPServerTransport, build);
  const server = createServer((request, response) => {
    if (!isLocal(request)) return response.writeHead(403).end();
    const isSession = /^202[45]-|^$/.test(request.headers["mcp-protocol-version"] ?? "");
    return void (isSession ? session : stateless)(request, response);
  });
  listen(server);
} else if (era === "session") {
  await build().connect(new StdioServerTransport());
} else {
  serveStdio(() => build(), { legacy: era === "stateless" ? "reject" : "serve" });
}
