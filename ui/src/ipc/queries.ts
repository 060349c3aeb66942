// One query per command that reads; the command table and host events decide what is read again.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AppSnippetFormat } from "./bindings/AppSnippetFormat";
import type { CompletionReference } from "./bindings/CompletionReference";
import type { DecisionFilter } from "./bindings/DecisionFilter";
import type { Item } from "./bindings/Item";
import type { LogFilter } from "./bindings/LogFilter";
import type { LogRow } from "./bindings/LogRow";
import type { RuleInput } from "./bindings/RuleInput";
import type { Sentence } from "./bindings/Sentence";
import { call } from "./bridge";
import { query, readServers } from "./cache";

/** How often the count of what a silenced server asks is looked at. */
const SILENCED_MS = 2_000;

/** Nothing keeps it once nobody looks: it may hold secrets. */
export const unkept = { gcTime: 0, retry: false } as const;

export const appInfo = () => ({ ...query("app_info", {}), staleTime: 1_000 });
export const settings = () => query("get_settings", {});
/** What this desktop offers for running without a window. */
export const background = () => query("get_background", {});
/** The programs whose terminals may always use the servers, by their paths. */
export const terminals = () => query("list_terminals", {});
export const certificates = () => query("list_certificates", {});
export const networkProblem = () => query("get_network_problem", {});
/** The licences of what Mooring is made of; null where it was installed without them. */
export const notices = () => query("get_notices", {});
export const servers = () => {
  const { queryKey, ...rest } = query("list_servers", {});
  return queryOptions({ ...rest, queryKey, queryFn: ({ client, signal }) => readServers(client, signal, client.getQueryData(queryKey)) });
};
/** The icons that a server gave itself, by the hash in its view. */
export const serverIcons = (id: number, icons: string) => query("server_icons", { id, icons });
/** The icon at a URL that a server names, as a `data:` URL; null: it may not or could not be loaded. */
export const loadedIcon = (id: number, src: string) => query("load_icon", { id, src });
export const tools = (id: number) => query("list_tools", { id, refresh: false });
export const resources = (id: number) => query("list_resources", { id, refresh: false });
export const prompts = (id: number) => query("list_prompts", { id, refresh: false });
export const subscriptions = (id: number) => query("list_subscriptions", { id });
export const tasks = (id: number) => query("list_tasks", { id });

/** The address that a template and values make. */
export const expansion = (uriTemplate: string, values: Record<string, string>) => ({
  ...query("expand_template", { uriTemplate, values }),
  gcTime: 30_000,
});

export interface CompletionRequest {
  readonly id: number;
  readonly reference: CompletionReference;
  readonly argument: string;
  readonly value: string;
  /** The other arguments, as far as they are filled in. */
  readonly context: Readonly<Record<string, string>>;
}

/** What a server suggests for an argument. What was asked a moment ago is not asked again. */
export const completion = (request: CompletionRequest) => ({
  ...query("complete_argument", request),
  staleTime: 30_000,
  gcTime: 60_000,
  retry: false,
});

/** What a link in a server's text leads to. */
export const inspectedLink = (url: string) => ({ ...query("inspect_link", { url }), ...unkept });

/** Every login, those in force first. */
export const accounts = () => query("list_accounts", {});

/** The sign-in to a server that is under way, or how the last one ended. */
export const signIn = (server: number) => query("get_sign_in", { id: server });

/** Sealed values of servers; the values themselves never come here. */
export const secrets = () => query("list_secrets", {});

/** The names of the secrets that calls of the Workbench may carry. */
export const secretVariables = () => query("list_secret_variables", {});

export const vault = () => query("get_vault", {});

/** What waits for the person. Of what a silenced server asks no event tells: that is the point of it, so its count is looked at. */
export const inbox = () =>
  queryOptions({ ...query("list_inbox", {}), refetchInterval: ({ state }) => (state.data?.silenced.length ? SILENCED_MS : false) });

/** How the last questions ended, newest first. */
export const decisions = (limit: number) => query("list_decisions", { limit });

/** So many decisions are read at once. */
const DECISIONS = 60;

/** Every decision that fits, newest first, by page. */
export const foundDecisions = (filter: DecisionFilter) =>
  infiniteQueryOptions({
    queryKey: ["find_decisions", { filter }] as const,
    queryFn: ({ pageParam }) => call("find_decisions", { filter, before: pageParam, limit: DECISIONS }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < DECISIONS ? undefined : page.at(-1)?.id),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What the log has of a decision. It may still be on its way there. */
export const decisionEvents = (id: number) => ({ ...query("decision_events", { id }), staleTime: 1_000, gcTime: 30_000 });

/** What is wrong with the values of a form. */
export const formCheck = (id: number, content: string) => ({ ...query("check_form", { id, content }), ...unkept });

/** What is wrong with a value by a JSON Schema. */
export const valueCheck = (schema: string, value: string, chosen: Record<string, number>) => ({
  ...query("check_value", { schema, value, chosen }),
  ...unkept,
});

/** The rules in force, the most specific first. */
export const rules = () => query("list_rules", {});

/** What the rules say of each tool of a server, and when it was last called. */
export const toolAccess = (id: number) => query("list_tool_access", { id });

const everyEvent: LogFilter = {
  source: null,
  serverId: null,
  app: null,
  call: null,
  kinds: [],
  direction: null,
  method: null,
  statuses: [],
  minDurationUs: null,
  text: null,
};

/**
 * The last answers to calls of a server's tools, among them those that ask for something first. `ended` is how many calls
 * have ended: each one more is a reason to look again.
 */
export const lastCalls = (server: number, ended: number) => {
  const filter: LogFilter = {
    ...everyEvent,
    serverId: server,
    kinds: ["frame", "diagnostic"],
    method: "tools/call",
    statuses: ["ok", "error", "cancelled", "timed_out"],
  };
  return queryOptions({
    queryKey: ["last_calls", server, ended],
    queryFn: async () => (await call("log_page", { filter, before: null, after: null, limit: 15 })).rows,
    placeholderData: (before: LogRow[] | undefined) => before,
    staleTime: 0,
    gcTime: 30_000,
  });
};

/** So many of the newest calls say when most servers were used last. */
const CALLS_LOOKED_AT = 200;
/** How often that is looked at: a call is announced to nobody here. */
const USED_MS = 15_000;

const callsOf = (serverId: number | null): LogFilter => ({
  ...everyEvent,
  serverId,
  kinds: ["frame"],
  direction: "out",
  method: "tools/call",
});

/** When a tool of each server was called last, in milliseconds since the Unix epoch, as far as the newest calls go back. */
export const lastUses = () =>
  queryOptions({
    queryKey: ["last_uses"],
    queryFn: async () => {
      const { rows } = await call("log_page", { filter: callsOf(null), before: null, after: null, limit: CALLS_LOOKED_AT });
      const at: Record<number, number> = {};
      for (const row of rows) if (row.serverId !== null) at[row.serverId] = Math.max(at[row.serverId] ?? 0, row.at / 1_000);
      return { at, isAll: rows.length < CALLS_LOOKED_AT };
    },
    refetchInterval: USED_MS,
    staleTime: 0,
  });

/** The same of a server that none of the newest calls was for; null: no call of it is in the log. */
export const lastUse = (server: number) =>
  queryOptions({
    queryKey: ["last_use", server],
    queryFn: async () => {
      const { rows } = await call("log_page", { filter: callsOf(server), before: null, after: null, limit: 1 });
      return rows[0] === undefined ? null : rows[0].at / 1_000;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What a rule would have changed. It stands for the moment: calls are made all the time. */
export const simulation = (id: number | null, rule: RuleInput) => ({
  ...query("simulate_rule", { id, rule }),
  staleTime: 5_000,
  gcTime: 30_000,
  retry: false,
});

/** What of a server was looked at and approved. */
export const trust = (server: number) => query("get_trust", { server });

/** Every folder that is granted. */
export const roots = () => query("list_roots", {});

/** The folders that one server may be told of. */
export const serverRoots = (server: number) => query("server_roots", { server });

/** Providers, routes, and what servers may use. */
export const models = () => query("list_models", {});

/** What to look out for in a command. */
export const commandReview = (command: string, args: string[], env: string[]) => ({
  ...query("review_command", { command, args, env }),
  ...unkept,
});

export const logFacets = () => ({ ...query("log_facets", {}), staleTime: 5_000 });

/** How many events a filter is about, counted anew whenever it is chosen. */
export const logCount = (filter: LogFilter) => ({ ...query("log_count", { filter }), staleTime: 0, gcTime: 0 });

/** An event with its text, which may be long. */
export const logEntry = (id: number) => ({ ...query("log_entry", { id }), gcTime: 30_000 });

/** Where a command is found; `path` is the `PATH` that is declared for it. */
export const commandCheck = (command: string, path: string | null) => ({ ...query("check_command", { command, path }), staleTime: 5_000 });

/** How the program can be installed that a server failed for. An installer may have come meanwhile. */
export const installOffer = (id: number) => ({ ...query("install_offer", { id }), staleTime: 5_000 });

export const importPreview = (text: string) => ({ ...query("check_import", { text }), staleTime: 0, gcTime: 30_000 });

/** The events of one call of an app, oldest first. */
export const logCallRows = (number: number) => ({
  queryKey: ["log_page", "call", number] as const,
  queryFn: async () => {
    const filter = { ...everyEvent, call: number };
    return (await call("log_page", { filter, before: null, after: null, limit: 200 })).rows.toReversed();
  },
  staleTime: 0,
  gcTime: 30_000,
});

/** What apps do now. */
export const appActivity = () => query("app_activity", {});

/** Other apps that use the servers. One can be installed, or change its file, without a word: who comes back looks again. */
export const apps = () => ({ ...query("list_apps", {}), staleTime: 2_000, refetchOnWindowFocus: "always" as const });
/** What an app pays in tokens; null: apps can't connect on this system. */
export const appCost = (id: string) => query("app_cost", { id });
/** The token of an app for HTTP, without the token itself; null: it has none. Its use is not announced. */
export const appToken = (id: string) => ({ ...query("get_app_token", { id }), staleTime: 0 });
/** What connecting an app would change; it can hold secrets of the app. */
export const appPlan = (id: string, renew: boolean, replaces: string[] = []) => ({
  ...query("plan_connect_app", { id, renew, replaces }),
  ...unkept,
  staleTime: 0,
});
export const appUndo = (id: string) => ({ ...query("plan_disconnect_app", { id }), ...unkept, staleTime: 0 });
export const appSnippet = (id: string, format: AppSnippetFormat) => ({
  ...query("app_snippet", { id, format }),
  gcTime: 30_000,
  retry: false,
});
/** The servers in an app's own file; it can hold secrets of theirs. */
export const appImport = (id: string) => ({ ...query("check_app_import", { id }), ...unkept, staleTime: 0 });

/** Journal health is pushed, never asked for. */
export interface JournalHealth {
  failing: boolean;
  message: Sentence | null;
}
export const journalHealth = () =>
  queryOptions<JournalHealth>({
    queryKey: ["journal"],
    queryFn: () => ({ failing: false, message: null }),
    initialData: { failing: false, message: null },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Saved calls and favourites, in the order in which they were saved. */
export const savedCalls = () => query("list_saved_calls", {});

/** Calls of an item in one page. */
export const PAST = 50;

/** Past calls of an item that the log has. Calls are made all the time: they are read anew whenever somebody looks. */
export const loggedCalls = (item: Item) =>
  infiniteQueryOptions({
    queryKey: ["list_logged_calls", item],
    queryFn: ({ pageParam }) => call("list_logged_calls", { item, before: pageParam, limit: PAST }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: 60_000,
    // A read template is logged under its addresses.
    enabled: item.kind !== "template",
  });

/** What was sent and received in one of them. It stays as it is. */
export const loggedCallContent = (id: number, answer: number | null) => ({ ...query("get_logged_call", { id, answer }), ...unkept });
