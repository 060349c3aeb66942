// Parses Mooring's own records (verdicts, state changes, gaps, diagnostics) leniently from a row's text, to show them
// as sentences. What it can't parse stays visible unchanged.
import type { LogRow } from "@/ipc/bindings/LogRow";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { type JsonNode, JsonScanError, membersOf, rootOf, scalarOf, stringAt, unlessBroken } from "@/lib/json-scan";
import { sentenceFrom } from "@/lib/sentence";

/** A text of ours: a translatable sentence, or English text in older or truncated rows. */
export type Words = Sentence | string;

/** An HTTP request that was answered with an error status. */
export interface Refused {
  readonly status: string;
  /** The requested path on the host, without its query. */
  readonly path: string;
}

export type Saying =
  | {
      readonly about: "verdict";
      readonly decision: "allowed" | "asked" | "denied";
      readonly tool: string | null;
      readonly caller: string;
      readonly rule: string;
    }
  | { readonly about: "state"; readonly from: string | null; readonly to: string; readonly reason: Words | null }
  | { readonly about: "gap"; readonly count: number; readonly deleted: boolean; readonly cleared: boolean; readonly reason: Words | null }
  /** A call that ended without a message: a timeout, a lost connection, a caller that left. */
  | { readonly about: "end"; readonly message: Words }
  /** A step of a sign-in, a refresh or a sign-out. */
  | { readonly about: "auth"; readonly message: Words; readonly refused: Refused | null }
  /** Output where only messages belong. */
  | { readonly about: "noise" }
  | { readonly about: "oddity"; readonly message: Words; readonly path: string | null };

/** The members that the sentence covers. All others are shown below it. */
const TOLD: Record<Saying["about"], readonly string[]> = {
  verdict: ["decision", "caller", "rule", "tool", "argumentsSha256", "calls"],
  state: ["from", "to", "state", "reason", "said", "attempt"],
  gap: ["count", "reason", "said"],
  end: ["call", "message", "said"],
  auth: ["step", "ok", "found", "said"],
  noise: [],
  oddity: ["code", "kind", "path", "message", "said"],
};

/** Parses a row of ours from its body or the beginning of it. Null for a server's own row. */
export function sayingOf(row: LogRow, text: string): Saying | null {
  switch (row.kind) {
    case "frame":
    case "stderr":
      return null;
    case "verdict": {
      const fields = fieldsOf(text);
      const decision = row.status === "error" ? "denied" : row.status === "none" ? "asked" : "allowed";
      return {
        about: "verdict",
        decision,
        tool: row.subject ?? fields.get("tool") ?? null,
        caller: fields.get("caller") ?? "",
        rule: fields.get("rule") ?? "",
      };
    }
    case "state": {
      const fields = fieldsOf(text);
      const reason = fields.said ?? fields.get("reason") ?? stringAt(text, "failure", "message");
      return { about: "state", from: fields.get("from") ?? null, to: fields.get("to") ?? fields.get("state") ?? row.subject ?? "", reason };
    }
    case "gap": {
      const fields = fieldsOf(text);
      const deleted = fields.get("deleted");
      return {
        about: "gap",
        count: Number(deleted ?? fields.get("count") ?? 0),
        deleted: deleted !== undefined,
        cleared: fields.has("cleared"),
        reason: fields.said ?? fields.get("reason") ?? null,
      };
    }
    case "auth": {
      const fields = fieldsOf(text);
      return {
        about: "auth",
        message: fields.said ?? fields.get("found") ?? "",
        refused: row.status === "error" ? refusedOf(fields) : null,
      };
    }
    case "diagnostic":
      return diagnostic(row, text);
    default:
      return row.kind satisfies never;
  }
}

function refusedOf(fields: Fields): Refused | null {
  const [status, url] = [fields.get("httpStatus"), fields.get("url")];
  if (status === undefined || Number(status) < 400 || url === undefined || !URL.canParse(url)) return null;
  return { status, path: new URL(url).pathname };
}

function diagnostic(row: LogRow, text: string): Saying {
  const fields = fieldsOf(text);
  const message = fields.said ?? fields.get("message");
  if (row.direction !== "none" || message === undefined) return { about: "noise" };
  if (row.subject !== null) return { about: "end", message };
  return { about: "oddity", message, path: fields.get("path") || null };
}

/** The scalar members of a record, and its sentence. */
class Fields extends Map<string, string> {
  said: Sentence | null = null;

  take(text: string, root: JsonNode): void {
    for (const { key, value } of membersOf(text, root)) {
      if (key === "said" && value.kind === "object") this.said = sentenceFrom(JSON.parse(text.slice(value.start, value.end)));
      else if (key !== null && value.kind !== "object" && value.kind !== "array" && value.kind !== "null")
        this.set(key, scalarOf(text, value));
    }
  }
}

/** Parses a JSON object or the beginning of one. Empty for anything else. */
export function fieldsOf(text: string): Fields {
  // A preview may end inside its last string, or anywhere else.
  return readFields(text) ?? readFields(`${text}…"}`) ?? readStart(text);
}

function readFields(text: string): Fields | null {
  const fields = new Fields();
  return isRead(() => fields.take(text, rootOf(text))) ? fields : null;
}

function readStart(text: string): Fields {
  const fields = new Fields();
  if (text.startsWith("{")) isRead(() => fields.take(text, { kind: "object", start: 0, end: text.length + 1 }));
  return fields;
}

function isRead(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof JsonScanError || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Whether a body contains more than the sentence covers. */
export function tellsMore(text: string, saying: Saying): boolean {
  return unlessBroken(() => {
    for (const { key, value } of membersOf(text, rootOf(text))) {
      if (value.kind !== "null" && (key === null || !TOLD[saying.about].includes(key))) return true;
    }
    return false;
  }, text.trim() !== "");
}
