// Finds the values that a configuration leaves out, and adds the entered ones.
import type { ImportEntry } from "@/ipc/bindings/ImportEntry";
import type { ServerInput } from "@/ipc/bindings/ServerInput";
import { draftOf, inputOf, type Pair } from "../form/draft";

/** An entry's variables and headers without a value. An empty value counts if it looks like a secret. */
export function missingIn({ server, sealed }: ImportEntry): readonly string[] {
  if (server === null) return [];
  const open = server.secrets.filter(({ entered, value }) => !entered && value === null).map(({ name }) => name);
  const empty = Object.entries({ ...server.env, ...server.headers }).filter(([name, value]) => value === "" && sealed.includes(name));
  return [...open, ...empty.map(([name]) => name)];
}

/** The values without empty ones. */
export const enteredOf = (names: readonly string[], values: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map(names.flatMap((name) => [[name, values.get(name) ?? ""] as const]).filter(([, value]) => value !== ""));

/** The server with these values, by the names of their variables or headers. `plain`: nothing can be encrypted. */
export function withValues(server: ServerInput, values: ReadonlyMap<string, string>, plain: boolean): ServerInput {
  const draft = draftOf(server);
  const fill = (row: Pair): Pair => {
    const value = values.get(row.name);
    return value === undefined ? row : { ...row, value, seal: !plain, kept: plain ? null : row.kept };
  };
  return inputOf({ ...draft, env: draft.env.map(fill), headers: draft.headers.map(fill) }, new Set());
}
