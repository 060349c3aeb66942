// The tree of servers and their offers as flat rows: what is expanded, and what a search keeps.
import type { PromptView } from "@/ipc/bindings/PromptView";
import type { SavedCall } from "@/ipc/bindings/SavedCall";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { type Match, match, nearest, words } from "@/lib/fuzzy";
import type { Spot, Target } from "../target";

/** The known part of a server's list. */
export interface Known<T> {
  readonly list: T | null;
  readonly failed: boolean;
}

/** The known offers of a server. Null for kinds that it doesn't declare. */
export interface Offers {
  readonly tools: Known<readonly ToolView[]> | null;
  readonly resources: Known<ResourceList> | null;
  readonly prompts: Known<readonly PromptView[]> | null;
  readonly tasks: { readonly total: number; readonly active: number; readonly waiting: number };
}

export const GROUPS = ["tool", "resource", "template", "prompt"] as const;
export type Group = (typeof GROUPS)[number];

/** Why a server or a group is empty: its state, or the state of its lists. */
export type NoteKind = "state" | "nothing" | "unread" | "loading";

export interface Item {
  readonly target: Target;
  /** The text of the row: the name, or the URI template. */
  readonly label: string;
  /** Other identifiers, for the tooltip and the search. */
  readonly also: readonly string[];
  readonly mime: string | null;
  /** Its original definition, if known. */
  readonly raw: string | null;
}

/** A text that contains a search match, with its position. */
export interface Why {
  readonly text: string;
  readonly at: readonly number[];
}

/** The sections above the servers: the person's saved items. */
export type Section = "favourite" | "saved";

export type TreeRow =
  | { readonly kind: "section"; readonly id: string; readonly section: Section; readonly count: number; readonly open: boolean }
  | { readonly kind: "saved"; readonly id: string; readonly server: ServerView; readonly call: SavedCall; readonly at: readonly number[] }
  | {
      readonly kind: "server";
      readonly id: string;
      readonly server: ServerView;
      readonly open: boolean;
      /** Whether one of its lists could not be read. */
      readonly failed: boolean;
      readonly at: readonly number[];
    }
  | {
      readonly kind: "tasks";
      readonly id: string;
      readonly server: ServerView;
      readonly total: number;
      /** The number of unfinished tasks. Some wait for the person. */
      readonly active: number;
      readonly waiting: number;
    }
  | {
      readonly kind: "group";
      readonly id: string;
      readonly server: ServerView;
      readonly group: Group;
      readonly count: number | null;
      readonly failed: boolean;
      readonly open: boolean;
    }
  | {
      readonly kind: "item";
      readonly id: string;
      readonly server: ServerView;
      readonly item: Item;
      readonly at: readonly number[];
      readonly grouped: boolean;
      /** The match of the search, if it isn't in the name. */
      readonly why?: Why;
      /** The favourite, if it is in that section. */
      readonly favourite?: SavedCall;
    }
  | { readonly kind: "note"; readonly id: string; readonly server: ServerView; readonly note: NoteKind };

/** The rows that the person expanded or collapsed. All others have their initial state. */
export type Folds = ReadonlyMap<string, boolean>;

/** A longer group is collapsed at first. */
const LONG = 100;

/** With more servers than this, each is collapsed until it is selected. */
const FEW = 5;

const CONNECTED: ReadonlySet<ServerState> = new Set(["ready", "degraded", "waiting_for_you"]);

/** Whether a server in this state is connected. */
export function isConnected(state: ServerState): boolean {
  return CONNECTED.has(state);
}

/** Whether the server can be started. */
export function canStart(state: ServerState): boolean {
  return state === "stopped" || state === "failed" || state === "asleep";
}

export const serverRowId = (server: number): string => `s${server}`;
export const groupRowId = (server: number, group: Group): string => `s${server}/${group}`;

/** The row of a spot, or of its server. */
export function spotRowId(server: number, spot: Spot | undefined): string {
  if (spot === undefined) return serverRowId(server);
  return spot.kind === "tasks" ? `s${server}/tasks` : `${spot.kind}${server}/${encodeURIComponent(spot.name.toWellFormed())}`;
}

interface List {
  readonly group: Group;
  readonly items: readonly Item[] | null;
  readonly failed: boolean;
}

const itemOf = (
  kind: Group,
  name: string,
  label: string,
  mime: string | null,
  raw: string | null,
  ...also: readonly (string | null)[]
): Item => ({ target: { kind, name }, label, mime, raw, also: also.filter((text) => text !== null && text !== label) }) as Item;

/** The lists of a server in tree order, except those known to be empty. */
function listsOf({ tools, resources, prompts }: Offers): List[] {
  return allLists({ tools, resources, prompts }).filter((list) => list.failed || list.items === null || list.items.length > 0);
}

function allLists({ tools, resources, prompts }: Omit<Offers, "tasks">): List[] {
  const lists: List[] = [];
  if (tools !== null)
    lists.push({
      group: "tool",
      failed: tools.failed,
      items: tools.list?.map((tool) => itemOf("tool", tool.name, tool.name, null, tool.raw, tool.title)) ?? null,
    });
  if (resources !== null) {
    const { failed, list } = resources;
    const templates = (list?.templates ?? []).map((template) =>
      itemOf("template", template.uriTemplate, template.uriTemplate, template.mimeType, template.raw, template.name, template.title),
    );
    const items =
      list?.resources.map((resource) =>
        itemOf(
          "resource",
          resource.uri,
          resource.name === "" ? resource.uri : resource.name,
          resource.mimeType,
          resource.raw,
          resource.title,
          resource.uri,
        ),
      ) ?? null;
    lists.push({ group: "resource", failed, items }, { group: "template", failed: false, items: templates });
  }
  if (prompts !== null)
    lists.push({
      group: "prompt",
      failed: prompts.failed,
      items: prompts.list?.map((prompt) => itemOf("prompt", prompt.name, prompt.name, null, prompt.raw, prompt.title)) ?? null,
    });
  return lists;
}

function noteOf(server: ServerView, lists: readonly List[]): NoteKind | null {
  if (["failed", "locked", "sign_in_needed", "stopped"].includes(server.state)) return "state";
  const known = lists.filter((list) => list.items !== null);
  if (!isConnected(server.state)) return known.length === 0 ? "state" : null;
  if (lists.length === 0) return "nothing";
  if (known.length === lists.length) return null;
  // If there are several lists, each has a heading with its state.
  if (lists.length > 1 && known.length > 0) return null;
  return lists.some((list) => list.failed) ? "unread" : "loading";
}

/** The visible rows in order. A search expands every server and keeps the matches, best first. */
export function treeRows(
  servers: readonly ServerView[],
  offers: ReadonlyMap<number, Offers>,
  query: string,
  folds: Folds,
  saved: readonly SavedCall[] = [],
): TreeRow[] {
  const asked = words(query);
  const of = (server: ServerView) => offers.get(server.id) ?? nothing;
  if (asked.length > 0) return distinct([...foundSaved(servers, saved, asked), ...found(servers, of, asked)]);
  return distinct([
    ...savedRows(servers, of, saved, folds),
    ...servers.flatMap((server) => whole(server, of(server), folds, servers.length <= FEW)),
  ]);
}

/** Favourites and saved calls, each with a heading, if there are any. */
function savedRows(
  servers: readonly ServerView[],
  of: (server: ServerView) => Offers,
  saved: readonly SavedCall[],
  folds: Folds,
): TreeRow[] {
  const rows: Record<Section, TreeRow[]> = { favourite: [], saved: [] };
  for (const call of saved) {
    const server = servers.find((item) => item.id === call.serverId);
    if (server === undefined) continue;
    if (call.name !== null) rows.saved.push(savedRow(server, call, []));
    else {
      const known = listsOf(of(server)).flatMap((list) => list.items ?? []);
      const item = known.find(({ target }) => target.kind === call.kind && target.name === call.item);
      const unknown = itemOf(call.kind, call.item, call.item, null, null);
      rows.favourite.push({ ...itemRow(server, item ?? unknown, [], false), id: `favourite${call.id}`, favourite: call });
    }
  }
  return (["favourite", "saved"] as const).flatMap((section): TreeRow[] => {
    const { length: count } = rows[section];
    const open = folds.get(section) ?? true;
    return count === 0 ? [] : [{ kind: "section", id: section, section, count, open }, ...(open ? rows[section] : [])];
  });
}

function savedRow(server: ServerView, call: SavedCall, at: readonly number[]): TreeRow {
  return { kind: "saved", id: `saved${call.id}`, server, call, at };
}

/** The saved calls whose names match a search. */
function foundSaved(servers: readonly ServerView[], saved: readonly SavedCall[], asked: readonly string[]): TreeRow[] {
  const finds = saved.flatMap((call) => {
    const server = servers.find((item) => item.id === call.serverId);
    const hit = call.name === null ? null : match(asked, call.name, [call.item]);
    return server === undefined || hit === null ? [] : [{ row: savedRow(server, call, hit.at), hit }];
  });
  const best = nearest(finds, (find) => find.hit).toSorted((left, right) => right.hit.score - left.hit.score);
  if (best.length === 0) return [];
  return [{ kind: "section", id: "saved", section: "saved", count: best.length, open: true }, ...best.map(({ row }) => row)];
}

const nothing: Offers = {
  tools: { list: null, failed: false },
  resources: null,
  prompts: null,
  tasks: { total: 0, active: 0, waiting: 0 },
};

/** A server may have duplicate names: the first keeps the name as its id, the others add their index. */
function distinct(rows: TreeRow[]): TreeRow[] {
  const seen = new Set<string>();
  return rows.map((row, index) => {
    const id = seen.has(row.id) ? `${row.id}#${index}` : row.id;
    seen.add(id);
    return id === row.id ? row : { ...row, id };
  });
}

function itemRow(server: ServerView, item: Item, at: readonly number[], grouped: boolean): Extract<TreeRow, { kind: "item" }> {
  return { kind: "item", id: spotRowId(server.id, item.target), server, item, at, grouped };
}

function noteRow(server: ServerView, note: NoteKind | null): TreeRow[] {
  return note === null ? [] : [{ kind: "note", id: `n${server.id}`, server, note }];
}

function whole(server: ServerView, offers: Offers, folds: Folds, few: boolean): TreeRow[] {
  const id = serverRowId(server.id);
  const lists = listsOf(offers);
  const note = noteOf(server, lists);
  const open = folds.get(id) ?? (few || note === "state");
  const rows: TreeRow[] = [{ kind: "server", id, server, open, failed: lists.some((list) => list.failed), at: [] }];
  if (!open) return rows;
  rows.push(...noteRow(server, note));
  if (offers.tasks.total > 0) rows.push({ kind: "tasks", id: spotRowId(server.id, { kind: "tasks" }), server, ...offers.tasks });
  const grouped = lists.length > 1;
  if (note !== null && lists.every((list) => list.items === null)) return rows;
  for (const { group, items, failed } of lists) {
    const groupId = groupRowId(server.id, group);
    const unfolded = folds.get(groupId) ?? (items?.length ?? 0) <= LONG;
    if (grouped) rows.push({ kind: "group", id: groupId, server, group, count: items?.length ?? null, failed, open: unfolded });
    if (!grouped || unfolded) rows.push(...(items ?? []).map((item) => itemRow(server, item, [], grouped)));
  }
  return rows;
}

/** A match of a search: a server by its own name, or one of its items. */
interface Find {
  readonly server: ServerView;
  readonly item: Item | null;
  readonly hit: Match;
}

function found(servers: readonly ServerView[], of: (server: ServerView) => Offers, asked: readonly string[]): TreeRow[] {
  const finds = servers.flatMap((server): Find[] => {
    const items = listsOf(of(server)).flatMap((list) => list.items ?? []);
    return [null, ...items].flatMap((item) => {
      const hit = item === null ? match(asked, server.name) : match(asked, item.label, [...item.also, server.name]);
      return hit === null ? [] : [{ server, item, hit }];
    });
  });
  const best = nearest(finds, (find) => find.hit);
  return servers.flatMap((server): TreeRow[] => {
    const mine = best.filter((find) => find.server === server);
    if (mine.length === 0) return [];
    const own = mine.find((find) => find.item === null);
    const items = mine.toSorted((left, right) => right.hit.score - left.hit.score);
    return [
      { kind: "server", id: serverRowId(server.id), server, open: true, failed: false, at: own?.hit.at ?? [] },
      ...(own === undefined ? [] : noteRow(server, noteOf(server, listsOf(of(server))))),
      ...items.flatMap(({ item, hit }) => (item === null ? [] : { ...itemRow(server, item, hit.at, false), ...whyOf(item, hit, asked) })),
    ];
  });
}

/** Where else an item matches, if its name doesn't. */
function whyOf(item: Item, hit: Match, asked: readonly string[]): { why: Why } | null {
  if (hit.at.length > 0) return null;
  const finds = item.also.flatMap((text) => {
    const found = match(asked, text);
    return found === null || found.far ? [] : [{ text, at: found.at }];
  });
  return finds[0] === undefined ? null : { why: finds[0] };
}

/** The first item that can be opened, for Enter in the search field. */
export function firstItem(rows: readonly TreeRow[]): TreeRow | undefined {
  return rows.find((row) => row.kind === "item" || row.kind === "saved");
}
