// What the peers built with the TypeScript SDKs offer; the one in Python offers the same.

import { z } from "zod";

/** Registers everything on a server of either major version, whose calls are the same up to here. */
export function offer(server, ResourceTemplate) {
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
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
  server.registerTool("wait", { inputSchema: z.object({}) }, () => new Promise(() => {}));
  server.registerResource("note", "peer://note", { mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "a note" }],
  }));
  server.registerResource("named", new ResourceTemplate("peer://notes/{name}", { list: undefined }), {}, (uri, { name }) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: `a note for ${name}` }],
  }));
  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}
