// The bodies that Mooring writes itself (verdicts, state changes, gaps, diagnostics) read leniently, so that
// the detail pane can say them in words. What is not understood stays visible as it is.
import { membersOf, rootOf, JsonScanError, scalarOf } from "@/lib/json-scan";

/** The scalar members of a body that is one JSON object; empty for anything else. */
export function fieldsOf(body: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  try {
    for (const { key, value } of membersOf(body, rootOf(body))) {
      if (key !== null && value.kind !== "object" && value.kind !== "array" && value.kind !== "null") {
        fields.set(key, scalarOf(body, value));
      }
    }
  } catch (error) {
    if (!(error instanceof JsonScanError)) throw error;
  }
  return fields;
}

/** Whether there is more in the body than the named members. */
export function hasMore(body: string, ...known: readonly string[]): boolean {
  try {
    for (const { key } of membersOf(body, rootOf(body))) {
      if (key !== null && !known.includes(key)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof JsonScanError) return body.trim() !== "";
    throw error;
  }
}
