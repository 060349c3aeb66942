// By what the list of servers is sorted; as they were added otherwise. Kept for the next start.
import { useState } from "react";
import type { SortDirection } from "@/components/sort-button";
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { recall, remember } from "@/lib/remembered";
import { shownState } from "@/lib/server-state";

export const COLUMNS = ["server", "state", "tools", "p95"] as const;
export type SortColumn = (typeof COLUMNS)[number];

export interface ServerSort {
  readonly column: SortColumn;
  readonly direction: SortDirection;
}

/** What needs the person first. */
const STATES: readonly ServerState[] = [
  "failed",
  "changed",
  "locked",
  "sign_in_needed",
  "waiting_for_you",
  "reconnecting",
  "degraded",
  "starting",
  "ready",
  "stopped",
];

/** The servers in this order; where two are equal, and where a figure is missing, as they were, the missing last. */
export function sorted(list: readonly ServerView[], sort: ServerSort | null, language: string): readonly ServerView[] {
  if (sort === null) return list;
  const by = sort.direction === "ascending" ? 1 : -1;
  const { compare } = new Intl.Collator(language, { numeric: true });
  const figure = (left: number | null, right: number | null) =>
    left === null || right === null ? Number(left === null) - Number(right === null) : by * (left - right);
  return list.toSorted((left, right) => {
    switch (sort.column) {
      case "server":
        return by * compare(left.name, right.name);
      case "state":
        return by * (STATES.indexOf(shownState(left)) - STATES.indexOf(shownState(right)));
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
  const column = COLUMNS.find((known) => known === word);
  return column && (direction === "ascending" || direction === "descending") ? { column, direction } : null;
}
