// The data of the tree: servers and their offers, the search, and the collapsed rows. The latter two live outside of
// the screen, so that the tree is unchanged when the person comes back.
import { type UseQueryResult, useQueries, useQuery } from "@tanstack/react-query";
import type { ServerView } from "@/ipc/bindings/ServerView";
import {
  prompts as promptsQuery,
  resources as resourcesQuery,
  savedCalls,
  servers as serversQuery,
  subscriptions as subscriptionsQuery,
  tasks as tasksQuery,
  tools as toolsQuery,
} from "@/ipc/queries";
import { declares, declaresTasks } from "@/lib/capabilities";
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import type { Spot } from "../target";
import { isUnderWay, isWaiting } from "../task/task-status";
import { type Folds, groupRowId, isConnected, type Known, type Offers, serverRowId, type TreeRow, treeRows } from "./tree-rows";

const searches = new KeyedStore<string>();
const folds = new KeyedStore<Folds>();
const none: Folds = new Map();

interface TreeState {
  readonly rows: readonly TreeRow[];
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly setOpen: (row: string, open: boolean) => void;
  /** The subscribed URIs by server. */
  readonly subscribed: ReadonlyMap<number, ReadonlySet<string>>;
}

/** Clears the search. */
export function clearSearch(): void {
  searches.set("tree", "");
}

/** Clears the search and expands the parents of a spot. */
export function revealInTree(server: number, spot: Pick<Spot, "kind"> | undefined): void {
  clearSearch();
  if (spot === undefined) return;
  const group = spot.kind === "tasks" ? [] : [groupRowId(server, spot.kind)];
  const open = [serverRowId(server), ...group].map((row) => [row, true] as const);
  folds.set("tree", new Map([...(folds.get("tree") ?? none), ...open]));
}

/** Expands a selected server, unless the person collapsed it. */
export function openChosen(server: number): void {
  const now = folds.get("tree") ?? none;
  if (!now.has(serverRowId(server))) folds.set("tree", new Map([...now, [serverRowId(server), true]]));
}

/** Resets the collapsed rows, for tests. */
export function forgetFolds(): void {
  folds.clear();
}

function known<T, L>({ data, isError }: UseQueryResult<T>, list: (data: T) => L): Known<L> {
  return { list: data === undefined ? null : list(data), failed: isError };
}

/** Whether the server offers this, because it declares or has listed it. */
export function offered(server: ServerView, what: "tools" | "resources" | "prompts"): boolean {
  const counts = { tools: server.toolCount, resources: server.resourceCount, prompts: server.promptCount };
  return declares(server.capabilities, what) || (counts[what] ?? 0) > 0;
}

/** The known offers of every server. */
function useOffers(servers: readonly ServerView[]): ReadonlyMap<number, Offers> {
  const up = (server: ServerView) => isConnected(server.state);
  const tools = useQueries({ queries: servers.map((server) => ({ ...toolsQuery(server.id), enabled: up(server) })) });
  const resources = useQueries({
    queries: servers.map((server) => ({ ...resourcesQuery(server.id), enabled: up(server) && offered(server, "resources") })),
  });
  const prompts = useQueries({
    queries: servers.map((server) => ({ ...promptsQuery(server.id), enabled: up(server) && offered(server, "prompts") })),
  });
  const tasks = useQueries({
    queries: servers.map((server) => ({ ...tasksQuery(server.id), enabled: up(server) && declaresTasks(server.capabilities) })),
  });
  return new Map(
    servers.map((server, index): [number, Offers] => {
      const [ofTools, ofResources, ofPrompts] = [tools[index], resources[index], prompts[index]];
      const all = tasks[index]?.data ?? [];
      const others = offered(server, "resources") || offered(server, "prompts");
      return [
        server.id,
        {
          // A server that declares nothing else is asked for tools anyway.
          tools: ofTools !== undefined && (!others || offered(server, "tools")) ? known(ofTools, (data) => data.tools) : null,
          resources: ofResources !== undefined && offered(server, "resources") ? known(ofResources, (data) => data) : null,
          prompts: ofPrompts !== undefined && offered(server, "prompts") ? known(ofPrompts, (data) => data.prompts) : null,
          tasks: {
            total: all.length,
            active: all.filter((task) => isUnderWay(task.status)).length,
            waiting: all.filter((task) => isWaiting(task.status)).length,
          },
        },
      ];
    }),
  );
}

function useSubscribed(servers: readonly ServerView[]): ReadonlyMap<number, ReadonlySet<string>> {
  const lists = useQueries({
    queries: servers.map((server) => ({
      ...subscriptionsQuery(server.id),
      enabled: isConnected(server.state) && declares(server.capabilities, "resources", "subscribe"),
    })),
  });
  return new Map(servers.map((server, index) => [server.id, new Set((lists[index]?.data ?? []).map((subscription) => subscription.uri))]));
}

export function useTree(): TreeState {
  const { data: servers = [] } = useQuery(serversQuery());
  const offers = useOffers(servers);
  const subscribed = useSubscribed(servers);
  const { data: saved = [] } = useQuery(savedCalls());
  const query = useKeyed(searches, "tree") ?? "";
  const folded = useKeyed(folds, "tree") ?? none;
  return {
    rows: treeRows(servers, offers, query, folded, saved),
    query,
    setQuery: (next) => searches.set("tree", next),
    setOpen: (row, open) => folds.set("tree", new Map(folds.get("tree") ?? none).set(row, open)),
    subscribed,
  };
}
