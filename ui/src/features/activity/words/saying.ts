// What Mooring itself recorded (verdicts, changes of state, gaps, oddities), read leniently out of a row's text,
// so that it can be said in words. What is not understood stays visible as it is.
import type { LogRow } from "@/ipc/bindings/LogRow";
import { JsonScanError, membersOf, rootOf, scalarOf, stringAt } from "@/lib/json-scan";

export type Saying =
  | { readonly about: "verdict"; readonly decision: "allowed" | "asked" | "denied"; readonly tool: string | null; readonly caller: string; readonly rule: string }
  | { readonly about: "state"; readonly from: string | null; readonly to: string; readonly reason: string | null }
  | { readonly about: "gap"; readonly count: number; readonly reason: string | null }
  /** A call that ended without a frame that says so: a deadline, a lost connection, a caller who left. */
  | { readonly about: "end"; readonly message: string }
  /** Something printed where only messages belong. */
  | { readonly about: "noise" }
  | { readonly about: "oddity"; readonly message: string; readonly path: string | null };

/** The members that a saying tells; whatever else a body holds is shown below it. */
const TOLD: Record<Saying["about"], readonly string[]> = {
  verdict: ["decision", "caller", "rule", "tool", "argumentsSha256", "calls"],
  state: ["from", "to", "state", "reason", "attempt"],
  gap: ["count", "reason"],
  end: ["call", "message"],
  noise: [],
  oddity: ["code", "kind", "path", "message"],
};

/** What a row of ours says, from its body or from the beginning of it; null for a server's own row. */
export function sayingOf(row: LogRow, text: string): Saying | null {
  switch (row.kind) {
    case "frame":
    case "stderr":
      return null;
    case "verdict": {
      const fields = fieldsOf(text);
      const decision = row.status === "error" ? "denied" : row.status === "none" ? "asked" : "allowed";
      return { about: "verdict", decision, tool: row.subject ?? fields.get("tool") ?? null, caller: fields.get("caller") ?? "", rule: fields.get("rule") ?? "" };
    }
    case "state": {
      const fields = fieldsOf(text);
      const reason = fields.get("reason") ?? stringAt(text, "failure", "message");
      return { about: "state", from: fields.get("from") ?? null, to: fields.get("to") ?? fields.get("state") ?? row.subject ?? "", reason };
    }
    case "gap": {
      const fields = fieldsOf(text);
      return { about: "gap", count: Number(fields.get("count") ?? 0), reason: fields.get("reason") ?? null };
    }
    case "diagnostic":
      return diagnostic(row, text);
    default:
      return row.kind satisfies never;
  }
}

function diagnostic(row: LogRow, text: string): Saying {
  const fields = fieldsOf(text);
  const message = fields.get("message");
  if (row.direction !== "none" || message === undefined) return { about: "noise" };
  if (row.subject !== null) return { about: "end", message };
  return { about: "oddity", message, path: fields.get("path") || null };
}

type Fields = ReadonlyMap<string, string>;

/** The scalar members of a text that is one JSON object, or of its beginning; empty for anything else. */
export function fieldsOf(text: string): Fields {
  // A preview may end within its last string.
  return readFields(text) ?? readFields(`${text}"}`) ?? new Map();
}

function readFields(text: string): Fields | null {
  try {
    const fields = new Map<string, string>();
    for (const { key, value } of membersOf(text, rootOf(text))) {
      if (key !== null && value.kind !== "object" && value.kind !== "array" && value.kind !== "null") {
        fields.set(key, scalarOf(text, value));
      }
    }
    return fields;
  } catch (error) {
    if (error instanceof JsonScanError) return null;
    throw error;
  }
}

/** Whether a body holds more than the saying tells. */
export function tellsMore(text: string, saying: Saying): boolean {
  try {
    for (const { key, value } of membersOf(text, rootOf(text))) {
      if (value.kind !== "null" && (key === null || !TOLD[saying.about].includes(key))) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof JsonScanError) return text.trim() !== "";
    throw error;
  }
}
