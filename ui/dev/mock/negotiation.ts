// Negotiations of protocol versions, and limits that were reached: one of each kind.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { demo, harbour, postgres } from "./recorded";
import { said } from "./say";

type Negotiated = Pick<ServerView, "revision" | "negotiatedEra" | "reason" | "steps">;

const negotiated = ({ revision, negotiatedEra, reason, steps }: ServerView): Negotiated => ({ revision, negotiatedEra, reason, steps });

/** The server supports the stateless era. */
export const modern = negotiated(demo.modern);
/** The server doesn't support the stateless era and opened a session. */
export const session = negotiated(harbour.server);
/** A session server with an older protocol version. */
export const older = negotiated(postgres.server);

const notAllowed = said("HTTP status {status}: {meaning}", { status: "405", meaning: said("the method isn’t allowed") });

/** An old server behind a URL, after two failed attempts. */
export const fallback: Negotiated = {
  ...older,
  revision: "2024-11-05",
  negotiatedEra: "sse",
  reason: said("{why}; {answer}.", {
    why: said("Rejected initialize by POST"),
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
    ...older.steps.slice(1),
  ],
};

/** The limits that a server exceeded. */
export const limits: ServerView["limits"] = [
  { name: "items", limit: 1_000, unit: "count", times: 1, lastAt: Date.now() - 400_000 },
  { name: "message", limit: 4 * 1024 * 1024, unit: "bytes", times: 3, lastAt: Date.now() - 42_000 },
  { name: "unasked_messages", limit: 200, unit: "count", times: 2, lastAt: Date.now() - 90_000 },
  { name: "unasked_bytes", limit: 8 * 1024 * 1024, unit: "bytes", times: 1, lastAt: Date.now() - 80_000 },
  { name: "flood", limit: 1_000, unit: "count", times: 18, lastAt: Date.now() - 3_000 },
];
