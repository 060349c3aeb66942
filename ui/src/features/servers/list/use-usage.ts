// Which apps use each server, and when one of its tools was last called.
import { useQueries, useQuery } from "@tanstack/react-query";
import { uses } from "@/lib/app-standing";
import type { Load } from "@/ipc/bindings/Load";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { apps, lastUse, lastUses, loads } from "@/ipc/queries";
import { visibleLine } from "@/lib/untrusted";

export interface Usage {
  /** The names of the apps that get its offers. */
  readonly usedBy: readonly string[];
  /** In milliseconds since the Unix epoch. Null if the log has no call, undefined if not known yet. */
  readonly lastUsed: number | null | undefined;
  /** What it costs now, if it is a local server that runs. */
  readonly load?: Load | undefined;
}

const unknown: Usage = { usedBy: [], lastUsed: undefined };

/** Returns a function that gives a server's usage. */
export function useUsage(list: readonly ServerView[]): (id: number) => Usage {
  const { data: known = [] } = useQuery(apps());
  const { data: newest } = useQuery(lastUses());
  // A server that isn't among the newest calls is queried separately, if there are more calls.
  const others = newest === undefined || newest.isAll ? [] : list.filter(({ id }) => newest.at[id] === undefined);
  const earlier = useQueries({ queries: others.map(({ id }) => lastUse(id)) });
  const { data: costs = [] } = useQuery({ ...loads(), enabled: list.some(({ transport }) => transport === "stdio") });
  const using = known.filter(uses);
  const usages = new Map<number, Usage>(
    list.map(({ id }) => {
      const usedBy = using.filter(({ off }) => !off.some(({ server, tool }) => server === id && tool === null));
      const at = others.findIndex((other) => other.id === id);
      const lastUsed = newest === undefined ? undefined : at === -1 ? (newest.at[id] ?? null) : earlier[at]?.data;
      const load = costs.find((cost) => cost.id === id)?.load;
      return [id, { load, usedBy: usedBy.map(({ title }) => visibleLine(title)), lastUsed }];
    }),
  );
  return (id) => usages.get(id) ?? unknown;
}
