// What was chosen in the palette, by entry id, the latest first. What was chosen often stands there often.
import { recall, remember } from "@/lib/remembered";

const KEY = "palette.recent";
/** So many choices are remembered. */
const CHOICES = 80;
/** An address may hold a secret. */
const ADDRESS = /^(?:resource|template):/;

export function recentChoices(): string[] {
  try {
    const known: unknown = JSON.parse(recall(KEY) ?? "[]");
    return Array.isArray(known) ? known.filter((id) => typeof id === "string" && !ADDRESS.test(id)) : [];
  } catch {
    return []; // written by hand or by another version: begin anew
  }
}

export function rememberChoice(id: string): void {
  if (!ADDRESS.test(id)) remember(KEY, JSON.stringify([id, ...recentChoices()].slice(0, CHOICES)));
}

/** How much less a choice counts for each one that came after it. */
const FADING = 0.96;

/** How much each entry was used: a choice counts 1, and less the longer ago it was. */
export function usesOf(history: readonly string[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const [at, id] of history.entries()) uses.set(id, (uses.get(id) ?? 0) + FADING ** at);
  return uses;
}
