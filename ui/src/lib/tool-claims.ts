// A server's claims about a tool's effects. They are shown as claims and decide nothing.
import type { ToolHints } from "@/ipc/bindings/ToolHints";
import { type JsonMember, membersOf, rootOf, unlessBroken } from "@/lib/json-scan";

/** The texts for each claim, yes and no. */
const SAYS = {
  readOnly: ["readOnly", "notReadOnly"],
  destructive: ["destructive", "notDestructive"],
  idempotent: ["idempotent", "notIdempotent"],
  openWorld: ["openWorld", "closedWorld"],
} as const satisfies Record<keyof ToolHints, readonly [string, string]>;

export type Claim = (typeof SAYS)[keyof ToolHints][number];

/** The explicit claims of a server, in a fixed order. */
export function claimsOf(hints: ToolHints): Claim[] {
  // A read-only tool neither destroys nor repeats, so those claims are left out.
  const told: (keyof ToolHints)[] =
    hints.readOnly === true ? ["readOnly", "openWorld"] : ["readOnly", "destructive", "idempotent", "openWorld"];
  return told.flatMap((name) => {
    const claim = hints[name];
    // Being idempotent doesn't make deleting harmless.
    if (claim === null || (name === "idempotent" && claim && hints.destructive === true)) return [];
    return [SAYS[name][claim ? 0 : 1]];
  });
}

/** Whether the server claims that the tool may destroy something. */
export const saysDestructive = (hints: ToolHints): boolean => claimsOf(hints).includes("destructive");

/** The claims in a tool's annotations. Other values than booleans are ignored. */
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
