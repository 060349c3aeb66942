// What a server says of a tool's effects. Claims, shown as claims; nothing is decided by them.
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { type JsonMember, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";

/** The words for each claim, yes and no. */
const SAYS = {
  readOnly: ["readOnly", "notReadOnly"],
  destructive: ["destructive", "notDestructive"],
  idempotent: ["idempotent", "notIdempotent"],
  openWorld: ["openWorld", "closedWorld"],
} as const satisfies Record<keyof ToolHints, readonly [string, string]>;

export type Claim = (typeof SAYS)[keyof ToolHints][number];

/** The claims that a server makes in so many words, in a fixed order. */
export function claimsOf(hints: ToolHints): Claim[] {
  // What only reads neither destroys nor repeats: saying so twice is noise.
  const told: (keyof ToolHints)[] =
    hints.readOnly === true ? ["readOnly", "openWorld"] : ["readOnly", "destructive", "idempotent", "openWorld"];
  return told.flatMap((name) => {
    const claim = hints[name];
    // What may delete data is not made harmless by deleting nothing more the second time.
    if (claim === null || (name === "idempotent" && claim && hints.destructive === true)) return [];
    return [SAYS[name][claim ? 0 : 1]];
  });
}

/** Whether the server says that the tool may destroy something. */
export const saysDestructive = (hints: ToolHints): boolean => claimsOf(hints).includes("destructive");

/** The claims in a tool's annotations. What is not a boolean says nothing. */
export function readHints(annotations: string | null): ToolHints {
  const found = new Map<string | null, boolean>();
  for (const { key, value } of annotations === null ? [] : members(annotations)) {
    const text = annotations?.slice(value.start, value.end);
    if (text === "true" || text === "false") found.set(key, text === "true");
  }
  const hint = (name: string) => found.get(name) ?? null;
  return {
    readOnly: hint("readOnlyHint"),
    destructive: hint("destructiveHint"),
    idempotent: hint("idempotentHint"),
    openWorld: hint("openWorldHint"),
  };
}

const members = (text: string): JsonMember[] => unlessBroken(() => [...membersOf(text, rootOf(text))], []);
