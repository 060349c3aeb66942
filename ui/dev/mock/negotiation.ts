// How revisions were agreed on, and which limits were reached: one of each kind.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { say } from "./say";

type Negotiated = Partial<ServerView>;

/** Answered the question of the stateless era. */
export const modern: Negotiated = {
  revision: "2026-07-28", negotiatedEra: "modern", reason: say("Answered server/discover with 2026-07-28 in 84 ms."),
  steps: [{ request: "server/discover", outcome: say("answered with 2026-07-28"), elapsedMs: 84 }],
};

/** Did not know the question and opened a session. */
export const session: Negotiated = {
  revision: "2025-11-25", negotiatedEra: "session", reason: say("server/discover is not known there (-32601); initialize was answered with 2025-11-25 in 312 ms."),
  steps: [
    { request: "server/discover", outcome: say("refused: method not found (-32601)"), elapsedMs: 14 },
    { request: "initialize 2025-11-25", outcome: say("answered with 2025-11-25"), elapsedMs: 298 },
  ],
};

/** An old server behind a URL: two attempts fell through. */
export const fallback: Negotiated = {
  revision: "2024-11-05", negotiatedEra: "sse", reason: say("Refused initialize by POST; initialize was answered with 2024-11-05, where 2025-11-25 was offered, in 1,204 ms over HTTP+SSE, which is deprecated."),
  steps: [
    { request: "POST server/discover", outcome: say("HTTP 405 Method Not Allowed, as servers of old do"), elapsedMs: 61 },
    { request: "POST initialize 2025-11-25", outcome: say("HTTP 405 Method Not Allowed"), elapsedMs: 58 },
    { request: "GET text/event-stream", outcome: say("a stream that names its endpoint: /messages?session=…"), elapsedMs: 402 },
    { request: "initialize 2025-11-25", outcome: say("answered with 2024-11-05"), elapsedMs: 683 },
  ],
};

/** A server that went too far. */
export const limits: ServerView["limits"] = [
  { name: "items", limit: 1_000, unit: "count", times: 1, lastAt: Date.now() - 400_000 },
  { name: "message", limit: 4 * 1024 * 1024, unit: "bytes", times: 3, lastAt: Date.now() - 42_000 },
  { name: "flood", limit: 1_000, unit: "count", times: 18, lastAt: Date.now() - 3_000 },
];

/** Everything a server may declare. */
export const everything = JSON.stringify({
  tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: false }, completions: {}, logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] }, "com.acme/harbour": {} },
  experimental: { "acme.tides": {} }, future: { x: 1 },
});
