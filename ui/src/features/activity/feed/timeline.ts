// The events in memory for the Activity screen: rows in ascending id order, with a marker wherever rows exist that were
// not sent. Pure functions on immutable arrays. The feed decides when to call them.
//
// Ids have gaps under a filter, so missing rows can't be computed from them: two neighbouring rows are adjacent unless
// there is a marker between them.
import type { LogBatch } from "@/ipc/bindings/LogBatch";
import type { LogRow } from "@/ipc/bindings/LogRow";

/** Rows that exist between two others but were not sent. */
export interface Skip {
  readonly kind: "skip";
  /** Negative, so that it never collides with a row's id. */
  readonly id: number;
  /** The last row before the gap. */
  readonly after: number;
  /** The first row after the gap. Null while the gap is the end of the list. */
  readonly before: number | null;
  readonly count: number;
}

export type Item = LogRow | Skip;

export function isSkip(item: Item): item is Skip {
  return item.kind === "skip";
}

/** Sorts rows oldest first. */
export function ascending(rows: readonly LogRow[]): readonly LogRow[] {
  const first = rows[0];
  const last = rows.at(-1);
  return first && last && first.id > last.id ? rows.toReversed() : rows;
}

/** The newest id in the list, or 0 if it is empty. */
export function lastId(items: readonly Item[]): number {
  const last = items.at(-1);
  if (!last) return 0;
  return isSkip(last) ? last.after : last.id;
}

/** The oldest id in the list, or null if it is empty. */
export function firstId(items: readonly Item[]): number | null {
  return items[0]?.id ?? null;
}

function skip(after: number, before: number | null, count: number): Skip {
  return { kind: "skip", id: -after - 1, after, before, count };
}

/** Appends a live batch. Drops rows that exist already, and adds a marker for skipped rows. */
export function append(items: readonly Item[], batch: LogBatch): readonly Item[] {
  const end = lastId(items);
  const rows = ascending(batch.rows).filter((row) => row.id > end);
  if (rows.length === 0 && batch.skipped === 0) return items;
  const last = items.at(-1);
  const open = last && isSkip(last) ? last : null;
  const body = open ? items.slice(0, -1) : items;
  const missing = (open?.count ?? 0) + batch.skipped;
  const before = rows[0]?.id ?? null;
  // Before the first row a marker would say no more than "older rows exist".
  const marker = missing > 0 && body.length > 0 ? [skip(end, before, missing)] : [];
  return [...body, ...marker, ...rows];
}

/** Prepends an older page. */
export function prepend(items: readonly Item[], page: readonly LogRow[]): readonly Item[] {
  const start = firstId(items);
  const rows = ascending(page).filter((row) => start === null || row.id < start);
  return rows.length === 0 ? items : [...rows, ...items];
}

/**
 * Joins the first page with the rows that the live feed has sent since the subscription. The page was loaded after the
 * subscription, so it may overlap rows and gaps of the feed.
 */
export function join(page: readonly LogRow[], live: readonly Item[]): readonly Item[] {
  const rows = ascending(page);
  const end = rows.at(-1)?.id ?? 0;
  const rest: Item[] = [];
  for (const item of live) {
    if (!isSkip(item)) {
      if (item.id > end) rest.push(item);
    } else if (item.before === null || item.before > end) {
      const covered = rows.length - position(rows, item.after + 1);
      if (covered < item.count) rest.push(skip(Math.max(item.after, end), item.before, item.count - covered));
    }
  }
  return [...rows, ...rest];
}

/** Replaces a marker with the loaded rows. What is still missing has a marker on the far side. */
export function fill(items: readonly Item[], hole: Skip, page: readonly LogRow[], more: boolean, from: "older" | "newer"): readonly Item[] {
  const at = items.findIndex((item) => item.id === hole.id && isSkip(item));
  const found = items[at];
  if (!found || !isSkip(found)) return items;
  const rows = ascending(page).filter((row) => row.id > found.after && row.id < (found.before ?? Infinity));
  const left = Math.max(1, found.count - rows.length);
  const first = rows[0];
  const last = rows.at(-1);
  const between: Item[] = [];
  if (more && first && from === "newer") between.push(skip(found.after, first.id, left));
  between.push(...rows);
  if (more && last && from === "older") between.push(skip(last.id, found.before, left));
  return [...items.slice(0, at), ...between, ...items.slice(at + 1)];
}

/** Continues the list with another that overlaps it. Null if there may be rows between them. */
export function continued(items: readonly Item[], by: readonly Item[]): readonly Item[] | null {
  const end = lastId(items);
  const start = firstId(by);
  if (start === null || items.length === 0) return null;
  if (start > end) return null;
  const at = by.findIndex((item) => (isSkip(item) ? item.after >= end : item.id > end));
  const body = items.at(-1);
  const rest = at === -1 ? [] : by.slice(at);
  // The other list knows what follows an open marker at the end.
  return [...(body && isSkip(body) ? items.slice(0, -1) : items), ...rest];
}

/** The rest of a list with at most `cap` items. */
export interface Bounded {
  readonly items: readonly Item[];
  readonly head: number;
  readonly tail: number;
}

/** Drops the items farthest from `keep`. Never leaves a marker at an edge, because paging covers that. */
export function bound(items: readonly Item[], cap: number, keep: number): Bounded {
  let from = 0;
  let to = items.length;
  const excess = items.length - cap;
  if (excess > 0) {
    if (keep >= items.length / 2) from = excess;
    else to -= excess;
  }
  while (from > 0 && from < to && isEdge(items[from])) from += 1;
  while (to < items.length && to > from && isEdge(items[to - 1])) to -= 1;
  if (from === 0 && to === items.length) return { items, head: 0, tail: 0 };
  return { items: items.slice(from, to), head: from, tail: items.length - to };
}

function isEdge(item: Item | undefined): boolean {
  return item !== undefined && isSkip(item);
}

/** The index of a row, or the index where it would be inserted. */
export function position(items: readonly Item[], id: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    const key = item === undefined ? Infinity : isSkip(item) ? item.after + 0.5 : item.id;
    if (key < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
