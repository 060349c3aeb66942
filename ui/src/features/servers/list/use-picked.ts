// The servers that are selected for joint actions, besides the one whose details are open.
import { useState } from "react";
import type { ServerView } from "@/ipc/bindings/ServerView";

interface Range {
  readonly ids: ReadonlySet<number>;
  /** Where a range starts, and where the last one ended. */
  readonly anchor: number | null;
  readonly end: number | null;
}

const NONE: Range = { ids: new Set(), anchor: null, end: null };

export interface Picked {
  /** In the order of the list. */
  readonly servers: readonly ServerView[];
  readonly has: (id: number) => boolean;
  readonly toggle: (id: number) => void;
  /** Selects from the start of the last range, or from the open server, to this one. */
  readonly rangeTo: (id: number) => void;
  /** Extends a range with the keyboard. Starts a new one if it doesn't continue the last. */
  readonly extendTo: (id: number) => void;
  readonly all: () => void;
  readonly drop: (ids: readonly number[]) => void;
  readonly clear: () => void;
}

/** `shown`: hidden servers aren't selected. `open`: the server whose details are open. */
export function usePicked(shown: readonly ServerView[], open: number | null): Picked {
  const [{ ids, anchor, end }, setRange] = useState(NONE);
  const isShown = (id: number | null) => id !== null && shown.some((server) => server.id === id);
  const servers = shown.filter(({ id }) => ids.has(id));
  const range = (from: number, to: number) => {
    const [first, last] = [from, to].map((id) => shown.findIndex((server) => server.id === id)).toSorted((one, other) => one - other);
    const within = shown.slice(first, (last ?? 0) + 1).map(({ id }) => id);
    setRange({ ids: new Set(within), anchor: from, end: to });
  };
  const begin = (id: number) => (open !== null && isShown(open) ? open : id);
  return {
    servers,
    has: (id) => ids.has(id),
    toggle: (id) => {
      const next = new Set(servers.map((server) => server.id));
      if (!next.delete(id)) next.add(id);
      setRange({ ids: next, anchor: id, end: id });
    },
    rangeTo: (id) => range(anchor !== null && servers.length > 0 && isShown(anchor) ? anchor : begin(id), id),
    extendTo: (id) => range(anchor !== null && end === open && isShown(anchor) && servers.length > 0 ? anchor : begin(id), id),
    all: () => setRange({ ids: new Set(shown.map(({ id }) => id)), anchor: open, end: open }),
    drop: (gone) => setRange((now) => ({ ...now, ids: new Set([...now.ids].filter((id) => !gone.includes(id))) })),
    clear: () => setRange(NONE),
  };
}
