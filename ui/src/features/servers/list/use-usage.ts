// By which apps each server is used, and when a tool of it was called last.
import { useQueries, useQuery } from "@tanstack/react-query";
import { uses } from "@/lib/app-standing";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps, lastUse, lastUses } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";

export interface Usage {
  /** The names of the apps that get what it has. */
  readonly usedBy: readonly string[];
  /** In milliseconds since the Unix epoch; null: never, as far as the log goes back; undefined: not known yet. */
  readonly lastUsed: number | null | undefined;
}

const unknown: Usage = { usedBy: [], lastUsed: undefined };

/** Gives how a server is used. */
export function useUsage(list: readonly ServerView[]): (id: number) => Usage {
  const { data: known = [] } = useQuery(apps());
  const { data: newest } = useQuery(lastUses());
  // A server that isn't among the newest calls is looked up by itself, where there are more calls.
  const others = newest === undefined || newest.isAll ? [] : list.filter(({ id }) => newest.at[id] === undefined);
  const earlier = useQueries({ queries: others.map(({ id }) => lastUse(id)) });
  const using = known.filter(uses);
  const usages = new Map<number, Usage>(
    list.map(({ id }) => {
      const usedBy = using.filter(({ off }) => !off.some(({ server, tool }) => server === id && tool === null));
      const at = others.findIndex((other) => other.id === id);
      const lastUsed = newest === undefined ? undefined : at === -1 ? (newest.at[id] ?? null) : earlier[at]?.data;
      return [id, { usedBy: usedBy.map(({ title }) => visibleLine(title)), lastUsed }];
    }),
  );
  return (id) => usages.get(id) ?? unknown;
}
