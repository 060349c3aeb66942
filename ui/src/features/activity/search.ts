// The filter of the Activity screen in the URL, so that other screens can link to it and Back undoes it.
import type { Direction } from "@/ipc/bindings/Direction";
import type { LogFilter } from "@/ipc/bindings/LogFilter";
import type { LogKind } from "@/ipc/bindings/LogKind";
import type { LogStatus } from "@/ipc/bindings/LogStatus";

export const KINDS = ["frame", "stderr", "verdict", "state", "gap", "diagnostic", "auth"] as const satisfies readonly LogKind[];
export const OUTCOMES = ["ok", "error", "cancelled", "timed_out"] as const satisfies readonly LogStatus[];
export const DIRECTIONS = ["out", "in", "from_app", "to_app"] as const satisfies readonly Direction[];

export interface ActivitySearch {
  /** The name of a server when the rows were written. */
  server?: string;
  /** A saved server, whatever its name was when the rows were written. */
  serverId?: number;
  /** The name of an app: its messages, and those that its calls caused at servers. */
  app?: string;
  /** The number of an app's call. */
  call?: number;
  direction?: Direction;
  method?: string;
  /** Kinds, separated by commas, in the order of `KINDS`. */
  kind?: string;
  /** How events ended, separated by commas, in the order of `OUTCOMES`. */
  outcome?: string;
  /** Only events that took at least this many milliseconds. */
  took?: number;
  text?: string;
  /** The row whose details are open. */
  event?: number;
}

/** The parts of the filter. */
const PARTS = [
  "server",
  "serverId",
  "app",
  "call",
  "direction",
  "method",
  "kind",
  "outcome",
  "took",
  "text",
] as const satisfies readonly (keyof ActivitySearch)[];

/** The parts that are lists. */
interface Lists {
  readonly kind: LogKind;
  readonly outcome: LogStatus;
}
const LISTS: { readonly [P in keyof Lists]: readonly Lists[P][] } = { kind: KINDS, outcome: OUTCOMES };

/** Changes the newest filters, because leaving the search field may have just changed them. */
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

/** Parses the URL parameters and drops invalid ones. */
export function activitySearch(raw: Record<string, unknown>): ActivitySearch {
  const search: ActivitySearch = {};
  const server = word(raw["server"]);
  const app = word(raw["app"]);
  const oneCall = number(raw["call"]);
  const method = word(raw["method"]);
  const text = word(raw["text"]);
  const direction = DIRECTIONS.find((known) => known === raw["direction"]);
  const kinds = listOf("kind", { kind: word(raw["kind"]) ?? "" });
  const outcomes = listOf("outcome", { outcome: word(raw["outcome"]) ?? "" });
  const took = number(raw["took"]);
  const serverId = number(raw["serverId"]);
  const event = number(raw["event"]);
  if (server !== undefined) search.server = server;
  if (serverId !== undefined) search.serverId = serverId;
  if (app !== undefined) search.app = app;
  if (oneCall !== undefined) search.call = oneCall;
  if (direction) search.direction = direction;
  if (method !== undefined) search.method = method;
  if (kinds.length > 0) search.kind = kinds.join(",");
  if (outcomes.length > 0) search.outcome = outcomes.join(",");
  if (took !== undefined) search.took = took;
  if (text !== undefined) search.text = text;
  if (event !== undefined) search.event = event;
  return search;
}

/** The values of a list. Empty means all. */
export function listOf<P extends keyof Lists>(part: P, search: Pick<ActivitySearch, P>): Lists[P][] {
  const wanted = new Set((search[part] ?? "").split(","));
  const known: readonly Lists[P][] = LISTS[part];
  return known.filter((value) => wanted.has(value));
}

/** Toggles a value of a list. */
export function switched(part: keyof Lists, value: string, search: ActivitySearch): ActivitySearch {
  const chosen: readonly string[] = listOf(part, search);
  const next = LISTS[part].filter((known) => chosen.includes(known) !== (known === value));
  return next.length === 0 ? without(search, part) : { ...search, [part]: next.join(",") };
}

export function filterOf(search: ActivitySearch): LogFilter {
  return {
    source: search.server ?? null,
    serverId: search.serverId ?? null,
    app: search.app ?? null,
    call: search.call ?? null,
    direction: search.direction ?? null,
    method: search.method ?? null,
    kinds: listOf("kind", search),
    statuses: listOf("outcome", search),
    minDurationUs: search.took === undefined ? null : search.took * 1_000,
    text: search.text ?? null,
  };
}

/** A key that is the same for equivalent filters. */
export function filterKey(search: ActivitySearch): string {
  return JSON.stringify(filterOf(search));
}

export function isFiltered(search: ActivitySearch): boolean {
  return PARTS.some((part) => search[part] !== undefined);
}

/** Removes all filters. The open event stays. */
export const unfiltered = (search: ActivitySearch): ActivitySearch => without(search, ...PARTS);

/** Removes these parts of the filter. The open event stays. */
export function without(search: ActivitySearch, ...parts: (keyof ActivitySearch)[]): ActivitySearch {
  return Object.fromEntries(Object.entries(search).filter(([part]) => !parts.some((gone) => gone === part)));
}
