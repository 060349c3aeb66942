// The bodies that Mooring writes itself (verdicts, state changes, gaps, diagnostics), read leniently, so that
// they can be said in words. What is not understood stays visible as it is.
import { JsonScanError, membersOf, rootOf, scalarOf } from "@/lib/json-scan";

export type Fields = ReadonlyMap<string, string>;

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

/** Whether a body holds more than its scalar members tell. */
export function tellsMore(text: string, told: readonly string[]): boolean {
  try {
    for (const { key, value } of membersOf(text, rootOf(text))) {
      if (value.kind !== "null" && (key === null || !told.includes(key))) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof JsonScanError) return text.trim() !== "";
    throw error;
  }
}
