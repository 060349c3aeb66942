// Summarises a row: its icon, its colour, and its request or answer. Only uses the preview, because the body is loaded
// when a row is opened.
import type { LogRow } from "@/ipc/bindings/LogRow";
import { cutAround } from "@/lib/needle";

export type Glyph =
  "out" | "in" | "from_app" | "to_app" | "exchange" | "stderr" | "allowed" | "denied" | "state" | "trouble" | "gap" | "key";
export type Tone = "info" | "ok" | "wait" | "bad" | "warn" | "quiet";

/** How many characters of the body are in a row's preview. */
const PREVIEW = 240;

export interface Mark {
  readonly glyph: Glyph;
  readonly tone: Tone;
}

/** The app whose message it is. Null for a server's or our own. */
export function appOf(row: LogRow): string | null {
  return row.direction === "from_app" || row.direction === "to_app" ? row.app : null;
}

/** The direction of the answer to a message. */
export const opposite = { none: "none", out: "in", in: "out", from_app: "to_app", to_app: "from_app" } as const;

/** A request without an answer in this row. */
export function isRequest(row: LogRow): boolean {
  return row.kind === "frame" && row.rpcId !== null && row.method !== null && row.status === "none";
}

/** An answer. */
export function isAnswer(row: LogRow): boolean {
  return row.kind === "frame" && row.rpcId !== null && (row.status !== "none" || row.method === null);
}

function frameTone(row: LogRow): Tone {
  if (row.status === "error") return "bad";
  if (row.status === "cancelled" || row.status === "timed_out") return "warn";
  if (row.direction === "out" || row.direction === "from_app") return "info";
  if (row.direction === "to_app") return "ok";
  // A server's request needs the person. An answer or a notification doesn't.
  return isRequest(row) ? "wait" : "ok";
}

function stateMark(row: LogRow): Mark {
  if (row.subject === "ready") return { glyph: "state", tone: "ok" };
  if (row.status !== "error") return { glyph: "state", tone: "quiet" };
  return { glyph: "trouble", tone: row.subject === "failed" || row.subject === null ? "bad" : "warn" };
}

export function markOf(row: LogRow): Mark {
  switch (row.kind) {
    case "frame":
      return { glyph: row.direction === "none" ? "in" : row.direction, tone: frameTone(row) };
    case "stderr":
      return { glyph: "stderr", tone: "quiet" };
    case "verdict":
      return row.status === "error" ? { glyph: "denied", tone: "bad" } : { glyph: "allowed", tone: "ok" };
    case "state":
      return stateMark(row);
    case "gap":
      return { glyph: "gap", tone: "warn" };
    case "diagnostic":
      return { glyph: "trouble", tone: row.status === "error" && row.subject !== null ? "bad" : "warn" };
    case "auth":
      return { glyph: "key", tone: row.status === "error" ? "bad" : "ok" };
    default:
      return row.kind satisfies never;
  }
}

/** The preview, with an ellipsis if the message continues. */
export function previewOf({ preview, size }: LogRow): string {
  return size > preview.length && preview.length >= PREVIEW && Array.from(preview).length >= PREVIEW ? `${preview}…` : preview;
}

/** An excerpt around the search text that fits the room, with ellipses where text is left out. */
export function excerpt(text: string, room: number, needle: string): string {
  const part = cutAround(text, room, needle);
  const goesOn = part.startsWith("…") ? !text.endsWith(part.slice(1)) : part.length < text.length;
  return goesOn ? `${part}…` : part;
}

/** A JSON-RPC error's code, if the preview contains it. */
export function errorCode(row: LogRow): string | null {
  const at = row.preview.indexOf('"error":');
  if (row.status !== "error" || row.kind !== "frame" || at === -1) return null;
  return /"code"\s*:\s*(-?\d+)/.exec(row.preview.slice(at))?.[1] ?? null;
}

/** The matching row: the answer to a request, or the request of an answer. */
export function partnerOf<R extends { readonly kind: string }>(row: LogRow, rows: readonly (LogRow | R)[]): LogRow | null {
  if (row.kind !== "frame" || row.rpcId === null) return null;
  const answer = isAnswer(row);
  let best: LogRow | null = null;
  for (const other of rows) {
    if (!isFrame(other) || other.rpcId !== row.rpcId || other.connection !== row.connection) continue;
    if (other.direction !== opposite[row.direction] || other.id === row.id) continue;
    if (row.method !== null && other.method !== null && row.method !== other.method) continue;
    // Ids may be reused: the nearest request before, or the nearest answer after.
    if (answer ? other.id < row.id && isRequest(other) : other.id > row.id && isAnswer(other)) {
      if (answer || best === null) best = other;
    }
  }
  return best;
}

/** The request that a message cancels. Null if it isn't a cancellation, or the request isn't in the list. */
export function cancelledOf<R extends { readonly kind: string }>(row: LogRow, rows: readonly (LogRow | R)[]): LogRow | null {
  if (row.kind !== "frame" || row.method !== "notifications/cancelled") return null;
  const id = /"requestId"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)/.exec(row.preview)?.[1];
  if (id === undefined) return null;
  // A request has the same direction as its cancellation. Ids may be reused, so take the nearest before.
  const isMeant = (other: LogRow | R): other is LogRow =>
    isFrame(other) &&
    isRequest(other) &&
    other.id < row.id &&
    other.rpcId === id &&
    other.connection === row.connection &&
    other.direction === row.direction;
  return rows.findLast(isMeant) ?? null;
}

function isFrame(item: { readonly kind: string }): item is LogRow {
  return item.kind === "frame";
}
