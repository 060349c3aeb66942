// A query for each reading command. The command table and host events decide what is reloaded.
import { hashKey, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type { AppSnippetFormat } from "./bindings/AppSnippetFormat";
import type { BundleChoice } from "./bindings/BundleChoice";
import type { CatalogFound } from "./bindings/CatalogFound";
import type { CompletionReference } from "./bindings/CompletionReference";
import type { DecisionFilter } from "./bindings/DecisionFilter";
import type { ImportEntry } from "./bindings/ImportEntry";
import type { ImportPlace } from "./bindings/ImportPlace";
import type { ImportValue } from "./bindings/ImportValue";
import type { Item } from "./bindings/Item";
import type { LogFilter } from "./bindings/LogFilter";
import type { LogRow } from "./bindings/LogRow";
import type { RuleInput } from "./bindings/RuleInput";
import type { Sentence } from "./bindings/Sentence";
import { call } from "./bridge";
import { query, readServers } from "./cache";

/** How often the count of a muted server's questions is polled. */
const SILENCED_MS = 2_000;

/** How often the loads of servers are polled. */
const LOAD_MS = 2_000;
/** The length of a part of the last hour. */
const PART_MS = 30_000;

/** Not cached after it was shown, because it may contain secrets. */
export const unkept = { gcTime: 0, retry: false } as const;

export const appInfo = () => ({ ...query("app_info", {}), staleTime: 1_000 });
export const settings = () => query("get_settings", {});
/** What this desktop supports for running without a window. */
export const background = () => query("get_background", {});
/** The programs whose terminals may always use the servers, by path. */
export const terminals = () => query("list_terminals", {});
export const certificates = () => query("list_certificates", {});
export const networkProblem = () => query("get_network_problem", {});
/** The licences of Mooring's dependencies. Null if they were not installed. */
export const notices = () => query("get_notices", {});
export const servers = () => {
  const { queryKey, ...rest } = query("list_servers", {});
  return queryOptions({ ...rest, queryKey, queryFn: ({ client, signal }) => readServers(client, signal, client.getQueryData(queryKey)) });
};
/** What local servers cost now. Measured every 2 seconds while it is shown. */
export const loads = () => ({ ...query("list_loads", {}), refetchInterval: LOAD_MS });
/** What a local server cost in the last hour, in parts of 30 seconds. */
export const loadHour = (id: number) => ({ ...query("get_load_hour", { id }), refetchInterval: PART_MS });
/** A server's own icons, by the hash in its view. */
export const serverIcons = (id: number, icons: string) => query("server_icons", { id, icons });
/** The icon at a URL that a server names, as a `data:` URL. Null if it may not or could not be loaded. */
export const loadedIcon = (id: number, src: string) => query("load_icon", { id, src });
export const tools = (id: number) => query("list_tools", { id, refresh: false });
export const resources = (id: number) => query("list_resources", { id, refresh: false });
export const prompts = (id: number) => query("list_prompts", { id, refresh: false });
export const subscriptions = (id: number) => query("list_subscriptions", { id });
export const tasks = (id: number) => query("list_tasks", { id });

/** The URI of a template with these values. */
export const expansion = (uriTemplate: string, values: Record<string, string>) => ({
  ...query("expand_template", { uriTemplate, values }),
  gcTime: 30_000,
});

export interface CompletionRequest {
  readonly id: number;
  readonly reference: CompletionReference;
  readonly argument: string;
  readonly value: string;
  /** The values of other arguments. */
  readonly context: Readonly<Record<string, string>>;
}

/** A server's suggestions for an argument. Recent answers are cached. */
export const completion = (request: CompletionRequest) => ({
  ...query("complete_argument", request),
  staleTime: 30_000,
  gcTime: 60_000,
  retry: false,
});

/** Where a link in a server's text leads. */
export const inspectedLink = (url: string) => ({ ...query("inspect_link", { url }), ...unkept });

/** All accounts, those in use first. */
export const accounts = () => query("list_accounts", {});

/** The current or last sign-in to a server. */
export const signIn = (server: number) => query("get_sign_in", { id: server });

/** The encrypted values of servers, without the values themselves. */
export const secrets = () => query("list_secrets", {});

/** The names of the secrets for Workbench calls. */
export const secretVariables = () => query("list_secret_variables", {});

export const vault = () => query("get_vault", {});

/** The open questions. Muted servers' questions cause no events, so their count is polled. */
export const inbox = () =>
  queryOptions({ ...query("list_inbox", {}), refetchInterval: ({ state }) => (state.data?.silenced.length ? SILENCED_MS : false) });

/** The latest decisions, newest first. */
export const decisions = (limit: number) => query("list_decisions", { limit });

/** How many decisions are loaded at once. */
const DECISIONS = 60;

/** The matching decisions, newest first, by page. */
export const foundDecisions = (filter: DecisionFilter) =>
  infiniteQueryOptions({
    queryKey: ["find_decisions", { filter }] as const,
    queryFn: ({ pageParam }) => call("find_decisions", { filter, before: pageParam, limit: DECISIONS }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < DECISIONS ? undefined : page.at(-1)?.id),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The log's events of a decision, which may still be on their way. */
export const decisionEvents = (id: number) => ({ ...query("decision_events", { id }), staleTime: 1_000, gcTime: 30_000 });

/** The mistakes in a form's values. */
export const formCheck = (id: number, content: string) => ({ ...query("check_form", { id, content }), ...unkept });

/** The problems of a value with a JSON Schema. */
export const valueCheck = (schema: string, value: string, chosen: Record<string, number>) => ({
  ...query("check_value", { schema, value, chosen }),
  ...unkept,
});

/** The rules in force, the most specific first. */
export const rules = () => query("list_rules", {});

/** What the rules decide for each tool of a server, and when it was last called. */
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
 * The last results of a server's tool calls, including those that ask for something first. `ended` is the number of
 * ended calls: a new one reloads the list.
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

/** How many of the newest calls are read to find when servers were last used. */
const CALLS_LOOKED_AT = 200;
/** How often that is polled, because calls aren't announced here. */
const USED_MS = 15_000;

const callsOf = (serverId: number | null): LogFilter => ({
  ...everyEvent,
  serverId,
  kinds: ["frame"],
  direction: "out",
  method: "tools/call",
});

/** When a tool of each server was last called, in milliseconds since the Unix epoch, from the newest calls. */
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

/** When a tool of this server was last called, if the newest calls don't tell. Null if the log has no call. */
export const lastUse = (server: number) =>
  queryOptions({
    queryKey: ["last_use", server],
    queryFn: async () => {
      const { rows } = await call("log_page", { filter: callsOf(server), before: null, after: null, limit: 1 });
      return rows[0] === undefined ? null : rows[0].at / 1_000;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What a rule would have changed. Only valid for a moment, because calls are made all the time. */
export const simulation = (id: number | null, rule: RuleInput) => ({
  ...query("simulate_rule", { id, rule }),
  staleTime: 5_000,
  gcTime: 30_000,
  retry: false,
});

/** What of a server is approved. */
export const trust = (server: number) => query("get_trust", { server });

/** All granted folders. */
export const roots = () => query("list_roots", {});

/** The folders that a server may access. */
export const serverRoots = (server: number) => query("server_roots", { server });

/** All profiles. */
export const profiles = () => query("list_profiles", {});

/** A profile as a file. */
export const profileFile = (id: number) => ({ ...query("export_profile", { id }), ...unkept });

/** Providers, routes, and the servers' budgets. */
export const models = () => query("list_models", {});

/** The warnings about a command. */
export const commandReview = (command: string, args: string[], env: string[]) => ({
  ...query("review_command", { command, args, env }),
  ...unkept,
});

export const logFacets = () => ({ ...query("log_facets", {}), staleTime: 5_000 });

/** How many events match a filter. Counted again each time it is selected. */
export const logCount = (filter: LogFilter) => ({ ...query("log_count", { filter }), staleTime: 0, gcTime: 0 });

/** An event with its text, which may be long. */
export const logEntry = (id: number) => ({ ...query("log_entry", { id }), gcTime: 30_000 });

/** Where a command is found. `path` is its own `PATH`. */
export const commandCheck = (command: string, path: string | null) => ({ ...query("check_command", { command, path }), staleTime: 5_000 });

/** How to install a failed server's program. An installer may have appeared meanwhile. */
export const installOffer = (id: number) => ({ ...query("install_offer", { id }), staleTime: 5_000 });

export const importPreview = (text: string) => ({ ...query("check_import", { text, values: [] }), staleTime: 0, gcTime: 30_000 });

/** A bundle's file with these values. It is read again each time, because the file may have changed. */
export const bundleReview = (path: string, choice: BundleChoice, values: readonly ImportValue[]) => ({
  ...query("read_bundle", { path, choice, values: [...values] }),
  ...unkept,
  staleTime: 0,
  retry: false,
});

/** The bundle that a server came from. */
export const serverBundle = (id: number) => query("server_bundle", { id });

/** The copy of the registry. */
export const catalogState = () => query("get_catalog", {});
/** The number of entries that are read at once. */
export const CATALOG_PAGE = 100;
/** A part of the entries that match a text. The previous ones are shown meanwhile. */
export const catalogPage = (text: string, page: number) => ({
  ...query("search_catalog", { text, offset: page * CATALOG_PAGE, limit: CATALOG_PAGE }),
  gcTime: 60_000,
  placeholderData: (before: CatalogFound | undefined) => (page === 0 ? before : undefined),
});
/** An entry of the copy, or a version of it that the registry is asked for. */
export const catalogEntry = (name: string, version: string | null) => ({
  ...query("get_catalog_entry", { name, version }),
  gcTime: 60_000,
  retry: false,
});
export const catalogVersions = (name: string) => ({ ...query("list_catalog_versions", { name }), ...unkept });
/** The servers that came from the catalog, with their newer versions. */
export const catalogServers = () => query("list_catalog_servers", {});
/** What the newest version would change about a server. */
export const catalogUpdate = (id: number, values: readonly ImportValue[]) => ({
  ...query("review_catalog_update", { id, version: null, values: [...values] }),
  ...unkept,
  staleTime: 0,
});

/** Where servers are imported from. */
export type ImportSource = { readonly text: string } | ImportPlace;

/** The entries of a text, an app or a project with these values, if there are any. The previous ones are shown meanwhile. */
export const filledImport = (source: ImportSource, values: readonly ImportValue[]) => ({
  ...queryOptions({
    queryKey: ["filled_import", source, values] as const,
    queryFn: async () =>
      "text" in source
        ? (await call("check_import", { text: source.text, values: [...values] })).entries
        : (await call("check_app_import", { place: source, values: [...values] })).preview.entries,
  }),
  ...unkept,
  staleTime: 0,
  enabled: values.length > 0,
  placeholderData: (before: ImportEntry[] | undefined, query?: { queryKey: readonly unknown[] }) =>
    values.length > 0 && hashKey([query?.queryKey[1]]) === hashKey([source]) ? before : undefined,
});

/** The events of an app's call, oldest first. */
export const logCallRows = (number: number) => ({
  queryKey: ["log_page", "call", number] as const,
  queryFn: async () => {
    const filter = { ...everyEvent, call: number };
    return (await call("log_page", { filter, before: null, after: null, limit: 200 })).rows.toReversed();
  },
  staleTime: 0,
  gcTime: 30_000,
});

/** The current activity of apps. */
export const appActivity = () => query("app_activity", {});

/** The other apps. Their changes aren't announced, so coming back to the window reloads them. */
export const apps = () => ({ ...query("list_apps", {}), staleTime: 2_000, refetchOnWindowFocus: "always" as const });
/** How many tokens an app needs. Null if apps can't connect on this system. */
export const appCost = (id: string) => query("app_cost", { id });
/** An app's token for HTTP, without its value. Null if it has none. Its use isn't announced. */
export const appToken = (id: string) => ({ ...query("get_app_token", { id }), staleTime: 0 });
/** The change that connects an app. It can contain the app's secrets. */
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
/** The servers in an app's file or a project's folder. They can contain secrets. */
export const appImport = (place: ImportPlace) => ({ ...query("check_app_import", { place, values: [] }), ...unkept, staleTime: 0 });

/** The health of the log, which is pushed and never queried. */
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

/** How many calls of an item a page has. */
export const PAST = 50;

/** The logged calls of an item. Reloaded on each view, because calls are made all the time. */
export const loggedCalls = (item: Item) =>
  infiniteQueryOptions({
    queryKey: ["list_logged_calls", item],
    queryFn: ({ pageParam }) => call("list_logged_calls", { item, before: pageParam, limit: PAST }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: 60_000,
    // Reading a template is logged under the resulting URI.
    enabled: item.kind !== "template",
  });

/** The messages of a logged call, which never change. */
export const loggedCallContent = (id: number, answer: number | null) => ({ ...query("get_logged_call", { id, answer }), ...unkept });
