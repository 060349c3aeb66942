// The tree of servers and their tools as flat rows: what is open, what a search leaves over.
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import { match, words } from "@/lib/fuzzy";

/** What is known of a server's tools. */
export interface Tools {
  readonly list: readonly ToolView[] | null;
  readonly failed: boolean;
}

/** Why a server shows no tools. */
export type NoteKind = "start" | "wait" | "signIn" | "failed" | "noTools" | "unread" | "loading";

export type TreeRow =
  | { readonly kind: "server"; readonly id: string; readonly server: ServerView; readonly open: boolean; readonly at: readonly number[] }
  | { readonly kind: "tool"; readonly id: string; readonly server: ServerView; readonly tool: ToolView; readonly at: readonly number[] }
  | { readonly kind: "note"; readonly id: string; readonly server: ServerView; readonly note: NoteKind };

const CONNECTED: ReadonlySet<ServerState> = new Set(["ready", "degraded", "waiting_for_you", "changed"]);

/** Whether a server in this state answers calls. */
export function isConnected(state: ServerState): boolean {
  return CONNECTED.has(state);
}

/** Whether starting is what gets this server going. */
export function canStart(state: ServerState): boolean {
  return state === "stopped" || state === "failed";
}

export const serverRowId = (server: number): string => `s${server}`;
export const toolRowId = (server: number, tool: string): string => `t${server}/${tool}`;

function noteOf(server: ServerView, tools: Tools): NoteKind | null {
  if (server.state === "failed") return "failed";
  if (server.state === "sign_in_needed") return "signIn";
  if (server.state === "stopped") return "start";
  if (!isConnected(server.state)) return tools.list === null ? "wait" : null;
  if (tools.list !== null) return tools.list.length === 0 ? "noTools" : null;
  return tools.failed ? "unread" : "loading";
}

/** The rows to show, in order. A search opens every server and keeps what it finds, best first within each. */
export function treeRows(servers: readonly ServerView[], tools: ReadonlyMap<number, Tools>, query: string, closed: ReadonlySet<number>): TreeRow[] {
  const asked = words(query);
  return asked.length === 0
    ? servers.flatMap((server) => whole(server, toolsOf(tools, server), !closed.has(server.id)))
    : servers.flatMap((server) => found(server, toolsOf(tools, server), asked));
}

const nothing: Tools = { list: null, failed: false };
const toolsOf = (tools: ReadonlyMap<number, Tools>, server: ServerView) => tools.get(server.id) ?? nothing;

const toolRow = (server: ServerView, tool: ToolView, at: readonly number[]): TreeRow => ({ kind: "tool", id: toolRowId(server.id, tool.name), server, tool, at });

/** A server may name two tools alike: the first has the name to itself, the others are told apart by their place. */
function distinct(rows: TreeRow[]): TreeRow[] {
  const seen = new Set<string>();
  return rows.map((row, index) => {
    const id = seen.has(row.id) ? `${row.id}#${index}` : row.id;
    seen.add(id);
    return id === row.id ? row : { ...row, id };
  });
}

function whole(server: ServerView, tools: Tools, open: boolean): TreeRow[] {
  const head: TreeRow = { kind: "server", id: serverRowId(server.id), server, open, at: [] };
  if (!open) return [head];
  const note = noteOf(server, tools);
  const rows = (tools.list ?? []).map((tool) => toolRow(server, tool, []));
  return distinct(note === null ? [head, ...rows] : [head, { kind: "note", id: `n${server.id}`, server, note }, ...rows]);
}

function found(server: ServerView, tools: Tools, asked: readonly string[]): TreeRow[] {
  const own = match(asked, server.name);
  const hits = (tools.list ?? [])
    .flatMap((tool) => {
      const hit = match(asked, tool.name, tool.title === null ? [server.name] : [tool.title, server.name]);
      return hit === null ? [] : [{ tool, hit }];
    })
    .toSorted((left, right) => right.hit.score - left.hit.score);
  if (own === null && hits.length === 0) return [];
  const head: TreeRow = { kind: "server", id: serverRowId(server.id), server, open: true, at: own?.at ?? [] };
  const note = own === null ? null : noteOf(server, tools);
  const rows = hits.map(({ tool, hit }) => toolRow(server, tool, hit.at));
  return distinct(note === null ? [head, ...rows] : [head, { kind: "note", id: `n${server.id}`, server, note }, ...rows]);
}

/** The first tool of the rows, for Enter in the search box. */
export function firstTool(rows: readonly TreeRow[]): TreeRow | undefined {
  return rows.find((row) => row.kind === "tool");
}
