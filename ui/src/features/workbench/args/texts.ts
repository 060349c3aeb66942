// The values of a template or prompt while they are filled in: texts by name, in memory while the window runs. Maps
// instead of objects, because a server may name an argument like a built-in member.
import { parseJson } from "@/lib/schema/parse";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import { keepCall } from "../open-calls";
import { type Target, targetKey } from "../target";

export type Texts = ReadonlyMap<string, string>;

interface Draft {
  readonly values: Texts;
  /** Whether missing values are shown, because the person tried to run it. */
  readonly revealed: boolean;
}

const drafts = new KeyedStore<Draft>();
const fresh: Draft = { values: new Map(), revealed: false };

export function useTexts(server: number, target: Target): Draft {
  return useKeyed(drafts, targetKey(server, target)) ?? fresh;
}

/** Changes a value. An empty one is removed. */
export function setText(server: number, target: Target, name: string, value: string): void {
  const key = targetKey(server, target);
  const before = drafts.get(key) ?? fresh;
  const values = new Map(before.values);
  if (value === "") values.delete(name);
  else values.set(name, value);
  drafts.set(key, { ...before, values });
  keepCall(server, target, true);
}

/** Shows missing values. */
export function revealGaps(server: number, target: Target): void {
  const key = targetKey(server, target);
  drafts.set(key, { ...(drafts.get(key) ?? fresh), revealed: true });
}

/** The texts in a call's JSON object. Null if it isn't an object. */
export function textsOf(args: string): Texts | null {
  const parsed = parseJson(args);
  if (!parsed.ok || parsed.node.kind !== "object") return null;
  return new Map(
    parsed.node.members.flatMap(({ key, value }): [string, string][] => (value.kind === "string" ? [[key, value.value]] : [])),
  );
}

/** Restores the values of an earlier call. */
export function restoreTexts(server: number, target: Target, args: string): void {
  const values = textsOf(args);
  if (values !== null) drafts.set(targetKey(server, target), { values, revealed: false });
}

/** The values by name, for a command. */
export function recordOf(values: Texts, names: readonly string[] = [...values.keys()]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = values.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The values as the JSON object to send, in the order of the names. */
export function argumentsText(values: Texts, names: readonly string[]): string {
  return JSON.stringify(recordOf(values, names));
}

/** Removes all values, for tests. */
export function forgetTexts(): void {
  drafts.clear();
}
