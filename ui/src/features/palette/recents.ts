// Past choices in the palette, as entry ids, newest first, with repetitions.
import { recall, remember } from "@/lib/remembered";

const KEY = "palette.recent";
/** How many choices are saved. */
const CHOICES = 80;
/** A URI may contain a secret. */
const ADDRESS = /^(?:resource|template):/;

export function recentChoices(): string[] {
  try {
    const known: unknown = JSON.parse(recall(KEY) ?? "[]");
    return Array.isArray(known) ? known.filter((id) => typeof id === "string" && !ADDRESS.test(id)) : [];
  } catch {
    return []; // invalid or from another version: start with an empty list
  }
}

export function rememberChoice(id: string): void {
  if (!ADDRESS.test(id)) remember(KEY, JSON.stringify([id, ...recentChoices()].slice(0, CHOICES)));
}

/** How much less a choice counts for each later one. */
const FADING = 0.96;

/** How much each entry was used: a choice counts 1, and less the older it is. */
export function usesOf(history: readonly string[]): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const [at, id] of history.entries()) uses.set(id, (uses.get(id) ?? 0) + FADING ** at);
  return uses;
}
