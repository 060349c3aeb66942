// What the tree shows: servers and tools from the host, and what the person searched for and folded.
// Search and folds outlive the screen, so that coming back finds the tree as it was.
import { useQueries, useQuery } from "@tanstack/react-query";
import { servers as serversQuery, tools as toolsQuery } from "@/ipc/queries";
import { KeyedStore, useKeyed } from "../keyed-store";
import { isConnected, type Tools, type TreeRow, treeRows } from "./tree-rows";

const searches = new KeyedStore<string>();
const folds = new KeyedStore<ReadonlySet<number>>();
const none: ReadonlySet<number> = new Set();

interface TreeState {
  readonly rows: readonly TreeRow[];
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly setOpen: (server: number, open: boolean) => void;
}

/** Takes the search back. */
export function clearSearch(): void {
  searches.set("tree", "");
}

export function useTree(): TreeState {
  const { data: servers = [] } = useQuery(serversQuery());
  const lists = useQueries({
    queries: servers.map((server) => ({ ...toolsQuery(server.id), enabled: isConnected(server.state) })),
  });
  const query = useKeyed(searches, "tree") ?? "";
  const closed = useKeyed(folds, "tree") ?? none;
  const tools = new Map<number, Tools>(servers.map((server, index) => [server.id, { list: lists[index]?.data?.tools ?? null, failed: lists[index]?.isError ?? false }]));
  return {
    rows: treeRows(servers, tools, query, closed),
    query,
    setQuery: (next) => searches.set("tree", next),
    setOpen: (server, open) => {
      const next = new Set(folds.get("tree") ?? none);
      if (open) next.delete(server);
      else next.add(server);
      folds.set("tree", next);
    },
  };
}
