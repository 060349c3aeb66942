// Parses a server's capabilities: what it declares, and the details of each. Unknown names stay unchanged.
const KNOWN = ["tools", "resources", "prompts", "completions", "logging", "tasks"] as const;
type Known = (typeof KNOWN)[number];

/** The details of a capability that have our own texts. */
export type Detail = "listChanges" | "follow" | "list" | "cancel" | "toolCalls";

export interface CapabilityRow {
  readonly name: Known | "extensions" | "experimental" | "others";
  readonly details: readonly Detail[];
  /** Names chosen by the server. */
  readonly names: readonly string[];
}

const object = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const declared = (value: unknown) => value !== undefined && value !== null && value !== false;

/** The rows in a fixed order. Null if the text isn't a JSON object. */
export function capabilityRows(capabilities: string): CapabilityRow[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(capabilities);
  } catch {
    return null; // shown as it was sent
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  const all = new Map(Object.entries(parsed));
  const rows: CapabilityRow[] = KNOWN.filter((name) => declared(all.get(name))).map((name) => ({
    name,
    details: detailsOf(name, object(all.get(name))),
    names: [],
  }));
  for (const name of ["extensions", "experimental"] as const) {
    const names = Object.keys(object(all.get(name)));
    if (names.length > 0) rows.push({ name, details: [], names });
  }
  const taken: ReadonlySet<string> = new Set([...KNOWN, "extensions", "experimental"]);
  const others = [...all.keys()].filter((name) => !taken.has(name) && declared(all.get(name)));
  return others.length === 0 ? rows : [...rows, { name: "others", details: [], names: others }];
}

function detailsOf(name: Known, said: Record<string, unknown>): Detail[] {
  const out: Detail[] = [];
  if (said["subscribe"] === true) out.push("follow");
  if (said["listChanged"] === true) out.push("listChanges");
  if (name !== "tasks") return out;
  if (declared(object(object(said["requests"])["tools"])["call"])) out.push("toolCalls");
  if (declared(said["list"])) out.push("list");
  if (declared(said["cancel"])) out.push("cancel");
  return out;
}
