// What the peers built with the TypeScript SDKs offer. The Python peer offers the same.

import { z } from "zod";

const FORM = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
const WORDS = [{ role: "user", content: { type: "text", text: "Say something." } }];

/** The questions of the tool `ask`: to a person, to a model, and for the roots. */
export const QUESTIONS = { form: { message: "Who are you?", requestedSchema: FORM }, sample: { messages: WORDS, maxTokens: 10 } };

/** The answers in one line. */
export const told = ({ form, sample, folders }) => ({
  content: [{ type: "text", text: `${form.content.name}; ${sample.content.text}; ${folders.roots[0].uri}` }],
});

const beginning = (value) => ["Ana", "Anselm", "Bo"].filter((name) => name.startsWith(value));

/**
 * Registers everything on a server of either major version, as far as their APIs agree. `ask` and `log` differ between
 * the versions.
 */
export function offer(server, { ResourceTemplate, completable, ask, log }) {
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({ content: [{ type: "text", text }] }));
  server.registerTool(
    "add",
    { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
    ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool("fail", { inputSchema: z.object({}) }, () => {
    throw new Error("it went wrong on purpose");
  });
  server.registerTool("count", { inputSchema: z.object({ to: z.number() }) }, async ({ to }, extra) => {
    const context = extra.mcpReq ?? extra;
    const progressToken = context._meta?.progressToken;
    const notify = (context.notify ?? extra.sendNotification).bind(context.notify ? context : extra);
    for (let progress = 1; progress <= to && progressToken !== undefined; progress += 1) {
      await notify({ method: "notifications/progress", params: { progressToken, progress, total: to } });
    }
    return { content: [{ type: "text", text: `counted to ${to}` }] };
  });
  server.registerTool("ask", { inputSchema: z.object({}) }, (_, extra) => ask(extra));
  server.registerTool("log", { inputSchema: z.object({}) }, async (_, extra) => {
    await log(extra, "debug", "mist");
    await log(extra, "warning", "fog");
    return { content: [{ type: "text", text: "logged" }] };
  });
  server.registerTool("wait", { inputSchema: z.object({}) }, () => new Promise(() => {}));
  server.registerResource("note", "peer://note", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "a note" }],
  }));
  const template = new ResourceTemplate("peer://notes/{name}", { list: undefined, complete: { name: beginning } });
  server.registerResource("named", template, {}, (uri, { name }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `a note for ${name}` }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ name: completable(z.string(), beginning) }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}
