// The differences between two messages of a call, by member.

export interface Difference {
  /** The path of the member, such as `params.name`. */
  readonly path: string;
  /** The value as JSON text. Null if absent. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Larger messages are not compared, because their differences would be unreadable. */
const LONGEST = 1_000_000;
const MOST = 20;
const LONGEST_VALUE = 160;

/** The differences in the order of the members. Null if a text isn't JSON or is too long. */
export function differences(before: string, after: string): Difference[] | null {
  if (before.length > LONGEST || after.length > LONGEST) return null;
  try {
    const found: Difference[] = [];
    compare("", JSON.parse(before), JSON.parse(after), found);
    return found;
  } catch {
    return null;
  }
}

function compare(path: string, before: unknown, after: unknown, found: Difference[]): void {
  if (found.length >= MOST) return;
  if (isMembers(before) && isMembers(after) && Array.isArray(before) === Array.isArray(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      compare(path === "" ? key : `${path}.${key}`, before[key], after[key], found);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    found.push({ path, before: shown(before), after: shown(after) });
  }
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function shown(value: unknown): string | null {
  const text = value === undefined ? null : JSON.stringify(value);
  return text !== null && text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
