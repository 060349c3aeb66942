// What a server says of a tool's effects. Claims, shown as claims; nothing is decided by them.
import { type JsonNode, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";

/** Claims with a sentence of their own. */
const SAYS = {
  readOnlyHint: { true: "readOnly", false: "notReadOnly" },
  destructiveHint: { true: "destructive", false: "notDestructive" },
  idempotentHint: { true: "idempotent", false: "notIdempotent" },
  openWorldHint: { true: "openWorld", false: "closedWorld" },
} as const;

export type Claim = (typeof SAYS)[keyof typeof SAYS]["true" | "false"];

/** The claims in a tool's annotations, in a fixed order. */
export function claimsOf(annotations: string | null): Claim[] {
  if (annotations === null) return [];
  const found = new Map<string, "true" | "false">();
  for (const [name, value] of members(annotations)) {
    const text = annotations.slice(value.start, value.end);
    if (text === "true" || text === "false") found.set(name, text);
  }
  const readOnly = found.get("readOnlyHint") === "true";
  return Object.entries(SAYS).flatMap(([name, words]) => {
    const value = found.get(name);
    // What only reads neither destroys nor repeats: saying so twice is noise.
    if (value === undefined || (readOnly && (name === "destructiveHint" || name === "idempotentHint"))) return [];
    return [words[value]];
  });
}

function members(text: string): [string, JsonNode][] {
  return unlessBroken(() => [...membersOf(text, rootOf(text))], []).flatMap((member): [string, JsonNode][] =>
    member.key === null ? [] : [[member.key, member.value]],
  );
}
