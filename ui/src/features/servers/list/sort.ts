// The sort order of the list of servers. By default groups by need. Saved for the next start.
import { useState } from "react";
import type { SortDirection } from "@/components/sort-button";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { recall, remember } from "@/lib/remembered";
import { type Need, needOf, needs } from "@/lib/server-needs";
import { type ShownState, shownState } from "@/lib/server-state";
import type { Usage } from "./use-usage";

export const SORT_COLUMNS = ["server", "state", "usedBy", "lastUsed", "tools", "p95"] as const;
export type SortColumn = (typeof SORT_COLUMNS)[number];

export interface ServerSort {
  readonly column: SortColumn;
  readonly direction: SortDirection;
}

/** The states, those that need the person first. */
const STATES: readonly ShownState[] = [
  "waiting_for_you",
  "sign_in_needed",
  "locked",
  "value_missing",
  "failed",
  "changed",
  "reconnecting",
  "degraded",
  "starting",
  "restarting",
  "downloading",
  "ready",
  "asleep",
  "stopped",
];

/** What servers need from the person, and those with problems that need nothing yet. */
type Group = Need | "problems";

/** Servers that need something come first. */
const groups: readonly Group[] = [...needs.filter((need) => need !== "none"), "problems", "none"];

/** A group of servers. */
export interface NeedGroup {
  readonly need: Group;
  readonly servers: readonly ServerView[];
}

/** Running and stopped servers are in one group, so that a server doesn't move when it is started or stopped. */
function groupOf(server: ServerView): Group {
  const need = needOf(server);
  return need === "none" && (server.state === "degraded" || server.state === "reconnecting") ? "problems" : need;
}

/** The servers grouped by need, in the order in which they were added. No group is empty. */
export function byNeed(list: readonly ServerView[]): readonly NeedGroup[] {
  return groups
    .map((need) => ({ need, servers: list.filter((server) => groupOf(server) === need) }))
    .filter(({ servers }) => servers.length > 0);
}

/** Sorts the servers. Equal ones keep their order, and missing figures come last. */
export function sorted(
  list: readonly ServerView[],
  sort: ServerSort | null,
  language: string,
  usageOf: (id: number) => Usage,
): readonly ServerView[] {
  if (sort === null) return byNeed(list).flatMap(({ servers }) => servers);
  const by = sort.direction === "ascending" ? 1 : -1;
  const { compare } = new Intl.Collator(language, { numeric: true });
  const figure = (left: number | null, right: number | null) =>
    left === null || right === null ? Number(left === null) - Number(right === null) : by * (left - right);
  const ago = ({ id }: ServerView) => {
    const at = usageOf(id).lastUsed;
    return at == null ? null : -at;
  };
  return list.toSorted((left, right) => {
    switch (sort.column) {
      case "server":
        return by * compare(left.name, right.name);
      case "state":
        return by * (STATES.indexOf(shownState(left)) - STATES.indexOf(shownState(right)));
      case "usedBy":
        return figure(usageOf(left.id).usedBy.length, usageOf(right.id).usedBy.length);
      case "lastUsed":
        // By age: the newest first.
        return figure(ago(left), ago(right));
      case "tools":
        return figure(left.toolCount, right.toolCount);
      case "p95":
        return figure(left.callTimes?.p95Ms ?? null, right.callTimes?.p95Ms ?? null);
    }
  });
}

const KEY = "servers.sort";

export function useServerSort(): [ServerSort | null, (sort: ServerSort | null) => void] {
  const [sort, setSort] = useState(recallSort);
  return [
    sort,
    (next) => {
      setSort(next);
      remember(KEY, next === null ? "" : `${next.column} ${next.direction}`);
    },
  ];
}

function recallSort(): ServerSort | null {
  const [word, direction] = (recall(KEY) ?? "").split(" ");
  const column = SORT_COLUMNS.find((known) => known === word);
  return column && (direction === "ascending" || direction === "descending") ? { column, direction } : null;
}
