// Merges a request and its answer into one line that expands. The feed has every event, and only the list merges them.
import type { LogRow } from "@/ipc/bindings/LogRow";
import { type Item, isSkip, position } from "../feed/timeline";
import { isAnswer, isRequest, opposite } from "./describe";

/** The lines of the list: in the order of events, but each expanded answer is right below its request. */
export interface Lines {
  readonly items: readonly Item[];
  /** The answers in the list by their requests' ids. */
  readonly answers: ReadonlyMap<number, LogRow>;
  /** The requests of these answers by the answers' ids. */
  readonly requests: ReadonlyMap<number, number>;
}

const none: ReadonlyMap<number, never> = new Map<number, never>();

/** Every event as its own line. */
export function unfolded(items: readonly Item[]): Lines {
  return { items, answers: none, requests: none };
}

/** Merges answers into their requests' lines, except those in `open`. */
export function fold(items: readonly Item[], open: ReadonlySet<number>): Lines {
  const asked = new Map<string, LogRow>();
  const answers = new Map<number, LogRow>();
  const requests = new Map<number, number>();
  for (const row of items) {
    if (isSkip(row)) continue;
    if (isRequest(row)) asked.set(exchangeKey(row, row.direction), row);
    else if (isAnswer(row)) {
      const key = exchangeKey(row, opposite[row.direction]);
      const request = asked.get(key);
      if (!request || (row.method !== null && row.method !== request.method)) continue;
      asked.delete(key);
      answers.set(request.id, row);
      requests.set(row.id, request.id);
    }
  }
  const lines: Item[] = [];
  for (const item of items) {
    if (requests.has(item.id)) continue;
    lines.push(item);
    const answer = open.has(item.id) ? answers.get(item.id) : undefined;
    if (answer) lines.push(answer);
  }
  return { items: lines, answers, requests };
}

/** The line of an event: its own, its request's, or the one where it would be inserted. */
export function lineOf({ items, requests }: Lines, id: number): number {
  const own = items.findIndex((item) => item.id === id);
  if (own !== -1) return own;
  const request = requests.get(id);
  if (request !== undefined) return items.findIndex((item) => item.id === request);
  const after = items.findIndex((item) => !requests.has(item.id) && (isSkip(item) ? item.after >= id : item.id > id));
  return after === -1 ? items.length : after;
}

/** The index of a line's event among all events. An answer has its request's. */
export function eventAt({ items: lines, requests }: Lines, index: number, items: readonly Item[]): number {
  const line = lines[index];
  if (!line) return index < 0 ? 0 : items.length - 1;
  if (index === lines.length - 1) return items.length - 1;
  return position(items, isSkip(line) ? line.after + 0.5 : (requests.get(line.id) ?? line.id));
}

function exchangeKey(row: LogRow, asker: LogRow["direction"]): string {
  return `${row.connection} ${asker} ${row.rpcId}`;
}
