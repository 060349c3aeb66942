// The page's cache of the host's data by command. Changing commands and events invalidate it. The command table of
// src-tauri says which command reads and changes what.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { ServerView } from "./bindings/ServerView";
import type { Commands } from "./bindings/commands";
import { changes, reads, type Tag, type Tags } from "./bindings/tags";
import { call } from "./bridge";

type Name = keyof Commands;
type Args<K extends Name> = Commands[K]["args"];

/** The result of a command stays valid until something changes it. */
const forever = { staleTime: Number.POSITIVE_INFINITY } as const;

/** The query of a command, by its name and arguments. */
export const query = <K extends Name>(name: K, args: Args<K>) =>
  queryOptions({ queryKey: [name, args] as const, queryFn: () => call(name, args), ...forever });

const readers: Tags = reads;
const changers: Tags = changes;

/** The topics that a command changes. */
export const changedBy = <K extends Name>(name: K, args: Args<K>): readonly Tag[] => changers[name]?.(args) ?? [];

const touch = (one: Tag, other: Tag): boolean =>
  one.of === other.of && (one.id === undefined || other.id === undefined || one.id === other.id);

/** The servers that changed since all were read. Without a set, all are read. */
const changedServers = new WeakMap<QueryClient, Set<number>>();

/** From this number on, reading all is cheaper than reading each. */
const FEW = 4;

/** Reloads changed data that is visible, and invalidates the rest. Resolves when it was read. */
export function readAgain(client: QueryClient, changed: readonly Tag[] | "everything"): Promise<void> {
  for (const { of, id } of changed === "everything" ? [{ of: "servers" } as Tag] : changed) {
    if (of !== "servers") continue;
    if (id === undefined) changedServers.delete(client);
    else changedServers.get(client)?.add(id);
  }
  return client.invalidateQueries({
    predicate: ({ queryKey: [name, args] }) => {
      const read = typeof name === "string" ? readers[name as Name]?.(args as never) : undefined;
      return read !== undefined && (changed === "everything" || read.some((tag) => changed.some((other) => touch(tag, other))));
    },
  });
}

/** Reads the list of servers, but only those that changed since the last time. */
export async function readServers(
  client: QueryClient,
  signal: AbortSignal,
  known: readonly ServerView[] | undefined,
): Promise<ServerView[]> {
  const changed = changedServers.get(client);
  const ids = [...(changed ?? [])];
  if (known !== undefined && ids.length > 0 && ids.length < FEW) {
    try {
      const read = await Promise.all(ids.map((id) => call("get_server", { id })));
      // An aborted read is repeated.
      if (!signal.aborted) for (const id of ids) changed?.delete(id);
      return known.map((server) => read.find(({ id }) => id === server.id) ?? server);
    } catch {
      // A server was removed, which the list shows.
    }
  }
  const list = await call("list_servers", {});
  if (!signal.aborted) changedServers.set(client, new Set());
  return list;
}
