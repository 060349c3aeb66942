// How revisions were agreed on, and which limits were reached: one of each kind.
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { said } from "./say";

type Negotiated = Partial<ServerView>;

/** Why a server of the session era counts as one. */
export const opened = (why: Sentence, revision: string, took: string): Sentence =>
  said("{why}; {answer}.", { why, answer: said("initialize was answered with {revision} in {took} ms", { revision, took }) });

export const unknown = said("Answered server/discover with error {code}", { code: "-32601" });
const notAllowed = said("the server answered with HTTP status {status}: {meaning}", {
  status: "405",
  meaning: said("the method is not allowed"),
});
const answered = (offered: string) => said("answered, where {offered} was offered", { offered });

/** Answered the question of the stateless era. */
export const modern: Negotiated = {
  revision: "2026-07-28",
  negotiatedEra: "modern",
  reason: said("Answered server/discover with {revision} in {took} ms.", { revision: "2026-07-28", took: "84" }),
  steps: [{ request: "server/discover", outcome: said("answered with {revision}", { revision: "2026-07-28" }), elapsedMs: 84 }],
};

/** Did not know the question and opened a session. */
export const session: Negotiated = {
  revision: "2025-11-25",
  negotiatedEra: "session",
  reason: opened(unknown, "2025-11-25", "312"),
  steps: [
    { request: "server/discover", outcome: unknown, elapsedMs: 14 },
    { request: "initialize", outcome: answered("2025-11-25"), elapsedMs: 298 },
  ],
};

/** An old server behind a URL: two attempts fell through. */
export const fallback: Negotiated = {
  revision: "2024-11-05",
  negotiatedEra: "sse",
  reason: said("{why}; {answer}.", {
    why: said("Refused initialize by POST"),
    answer: said("{answer} over HTTP+SSE, which is deprecated", {
      answer: said("initialize was answered with {revision}, where {offered} was offered, in {took} ms", {
        revision: "2024-11-05",
        offered: "2025-11-25",
        took: "1204",
      }),
    }),
  }),
  steps: [
    { request: "server/discover", outcome: said("Answered server/discover with HTTP status {status}", { status: "405" }), elapsedMs: 61 },
    { request: "initialize", outcome: notAllowed, elapsedMs: 58 },
    { request: "initialize", outcome: answered("2025-11-25"), elapsedMs: 683 },
  ],
};

/** A server that went too far. */
export const limits: ServerView["limits"] = [
  { name: "items", limit: 1_000, unit: "count", times: 1, lastAt: Date.now() - 400_000 },
  { name: "message", limit: 4 * 1024 * 1024, unit: "bytes", times: 3, lastAt: Date.now() - 42_000 },
  { name: "unasked_messages", limit: 200, unit: "count", times: 2, lastAt: Date.now() - 90_000 },
  { name: "unasked_bytes", limit: 8 * 1024 * 1024, unit: "bytes", times: 1, lastAt: Date.now() - 80_000 },
  { name: "flood", limit: 1_000, unit: "count", times: 18, lastAt: Date.now() - 3_000 },
];

/** Everything a server may declare. */
export const everything = JSON.stringify({
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: false },
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] }, "com.acme/harbour": {} },
  experimental: { "acme.tides": {} },
  future: { x: 1 },
});
