// The filter of the Activity screen in the address, so that other screens can link to it and Back undoes it.
import type { Direction } from "@/ipc/bindings/Direction";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogKind } from "@/ipc/bindings/LogKind";

export const KINDS = ["frame", "stderr", "verdict", "state", "gap", "diagnostic", "auth"] as const satisfies readonly LogKind[];
export const DIRECTIONS = ["out", "in"] as const satisfies readonly Direction[];

export interface ActivitySearch {
  /** A name that rows were written under. */
  server?: string;
  /** A saved server, whatever it was called when the rows were written. */
  serverId?: number;
  direction?: Direction;
  method?: string;
  /** Kinds, separated by commas, in the order of `KINDS`. */
  kind?: string;
  text?: string;
  /** The row whose details are open. */
  event?: number;
}

/** Changes the filters, starting from the newest ones: leaving the search field may have changed them a moment ago. */
export type ChangeSearch = (change: (now: ActivitySearch) => ActivitySearch) => void;

function word(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  const text = String(value);
  return text.trim() === "" ? undefined : text;
}

function number(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** Keeps what makes sense of an address and drops the rest. */
export function activitySearch(raw: Record<string, unknown>): ActivitySearch {
  const search: ActivitySearch = {};
  const server = word(raw["server"]);
  const method = word(raw["method"]);
  const text = word(raw["text"]);
  const direction = DIRECTIONS.find((known) => known === raw["direction"]);
  const kinds = kindsOf({ kind: word(raw["kind"]) ?? "" });
  const serverId = number(raw["serverId"]);
  const event = number(raw["event"]);
  if (server !== undefined) search.server = server;
  if (serverId !== undefined) search.serverId = serverId;
  if (direction) search.direction = direction;
  if (method !== undefined) search.method = method;
  if (kinds.length > 0) search.kind = kinds.join(",");
  if (text !== undefined) search.text = text;
  if (event !== undefined) search.event = event;
  return search;
}

export function kindsOf(search: Pick<ActivitySearch, "kind">): LogKind[] {
  const wanted = new Set((search.kind ?? "").split(","));
  return KINDS.filter((kind) => wanted.has(kind));
}

export function withKinds(search: ActivitySearch, kinds: readonly LogKind[]): ActivitySearch {
  const { kind: _, ...rest } = search;
  const chosen = KINDS.filter((kind) => kinds.includes(kind));
  return chosen.length === 0 ? rest : { ...rest, kind: chosen.join(",") };
}

export function filterOf(search: ActivitySearch): LogFilter {
  return {
    source: search.server ?? null,
    serverId: search.serverId ?? null,
    direction: search.direction ?? null,
    method: search.method ?? null,
    kinds: kindsOf(search),
    text: search.text ?? null,
  };
}

/** The same filter gives the same key, however it was written. */
export function filterKey(search: ActivitySearch): string {
  return JSON.stringify(filterOf(search));
}

export function isFiltered(search: ActivitySearch): boolean {
  return Boolean(search.server ?? search.serverId ?? search.direction ?? search.method ?? search.kind ?? search.text);
}

/** Without any filter; the open event stays. */
export const unfiltered = (search: ActivitySearch): ActivitySearch =>
  without(search, "server", "serverId", "direction", "method", "kind", "text");

/** Without the given parts of the filter; the open event stays. */
export function without(search: ActivitySearch, ...parts: (keyof ActivitySearch)[]): ActivitySearch {
  return Object.fromEntries(Object.entries(search).filter(([part]) => !parts.some((gone) => gone === part)));
}
