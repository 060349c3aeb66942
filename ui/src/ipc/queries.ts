// One query per command that reads; host events decide what is stale.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import i18next from "i18next";
import type { CompletionReference } from "./bindings/CompletionReference";
import type { HostEvent } from "./bindings/HostEvent";
import type { RuleInput } from "./bindings/RuleInput";
import type { Sentence } from "./bindings/Sentence";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import { call, stream } from "./bridge";

/** How often the count of what a silenced server asks is looked at. */
const SILENCED_MS = 2_000;

const forever = { staleTime: Number.POSITIVE_INFINITY } as const;

export const appInfo = () => queryOptions({ queryKey: ["app_info"], queryFn: () => call("app_info", {}), staleTime: 1_000 });
export const settings = () => queryOptions({ queryKey: ["settings"], queryFn: () => call("get_settings", {}), ...forever });
export const servers = () => queryOptions({ queryKey: ["servers"], queryFn: () => call("list_servers", {}), ...forever });

export const tools = (id: number) =>
  queryOptions({ queryKey: ["tools", id], queryFn: () => call("list_tools", { id, refresh: false }), ...forever });

export const resources = (id: number) =>
  queryOptions({ queryKey: ["resources", id], queryFn: () => call("list_resources", { id, refresh: false }), ...forever });

export const prompts = (id: number) =>
  queryOptions({ queryKey: ["prompts", id], queryFn: () => call("list_prompts", { id, refresh: false }), ...forever });

export const subscriptions = (id: number) =>
  queryOptions({ queryKey: ["subscriptions", id], queryFn: () => call("list_subscriptions", { id }), ...forever });

export const tasks = (id: number) => queryOptions({ queryKey: ["tasks", id], queryFn: () => call("list_tasks", { id }), ...forever });

/** The address that a template and values make. */
export const expansion = (uriTemplate: string, values: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: ["expand_template", uriTemplate, values],
    queryFn: () => call("expand_template", { uriTemplate, values }),
    ...forever,
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
export const completion = (request: CompletionRequest) =>
  queryOptions({
    queryKey: ["complete_argument", request],
    queryFn: () => call("complete_argument", request),
    staleTime: 30_000,
    gcTime: 60_000,
    retry: false,
  });

/** Every login, those in force first. */
export const accounts = () => queryOptions({ queryKey: ["accounts"], queryFn: () => call("list_accounts", {}), ...forever });

/** The sign-in to a server that is under way, or how the last one ended. */
export const signIn = (server: number) =>
  queryOptions({ queryKey: ["sign_in", server], queryFn: () => call("get_sign_in", { id: server }), ...forever });

/** Sealed values of servers; the values themselves never come here. */
export const secrets = () => queryOptions({ queryKey: ["secrets"], queryFn: () => call("list_secrets", {}), ...forever });

export const vault = () => queryOptions({ queryKey: ["vault"], queryFn: () => call("get_vault", {}), ...forever });

/** What waits for the person. Of what a silenced server asks no event tells: that is the point of it, so its count is looked at. */
export const inbox = () =>
  queryOptions({
    queryKey: ["inbox"],
    queryFn: () => call("list_inbox", {}),
    ...forever,
    refetchInterval: (query) => (query.state.data?.silenced.length ? SILENCED_MS : false),
  });

/** How the last questions ended, newest first. */
export const decisions = (limit: number) =>
  queryOptions({ queryKey: ["decisions", limit], queryFn: () => call("list_decisions", { limit }), ...forever });

/** What is wrong with the values of a form. They may hold secrets, so nothing keeps them once nobody looks. */
export const formCheck = (id: number, content: string) =>
  queryOptions({
    queryKey: ["check_form", id, content],
    queryFn: () => call("check_form", { id, content }),
    ...forever,
    gcTime: 0,
    retry: false,
  });

/** The rules in force, the most specific first. */
export const rules = () => queryOptions({ queryKey: ["rules"], queryFn: () => call("list_rules", {}), ...forever });

/** What a rule would have changed. It stands for the moment: calls are made all the time. */
export const simulation = (id: number | null, rule: RuleInput) =>
  queryOptions({
    queryKey: ["simulate_rule", id, rule],
    queryFn: () => call("simulate_rule", { id, rule }),
    staleTime: 5_000,
    gcTime: 30_000,
    retry: false,
  });

/** What of a server was looked at and approved. */
export const trust = (server: number) =>
  queryOptions({ queryKey: ["trust", server], queryFn: () => call("get_trust", { server }), ...forever });

/** Every folder that is granted. */
export const roots = () => queryOptions({ queryKey: ["roots"], queryFn: () => call("list_roots", {}), ...forever });

/** The folders that one server may be told of. */
export const serverRoots = (server: number) =>
  queryOptions({ queryKey: ["roots", server], queryFn: () => call("server_roots", { server }), ...forever });

/** Providers, routes, and what servers may use. */
export const models = () => queryOptions({ queryKey: ["models"], queryFn: () => call("list_models", {}), ...forever });

/** What to look out for in a command. Its arguments may hold secrets, so nothing keeps them once nobody looks. */
export const commandReview = (command: string, args: string[], env: string[]) =>
  queryOptions({
    queryKey: ["review_command", command, args, env],
    queryFn: () => call("review_command", { command, args, env }),
    ...forever,
    gcTime: 0,
    retry: false,
  });

export const logFacets = () => queryOptions({ queryKey: ["log_facets"], queryFn: () => call("log_facets", {}), staleTime: 5_000 });

export const logEntry = (id: number) => queryOptions({ queryKey: ["log_entry", id], queryFn: () => call("log_entry", { id }), ...forever });

/** Where a command is found; `path` is the `PATH` that is declared for it. */
export const commandCheck = (command: string, path: string | null) =>
  queryOptions({ queryKey: ["check_command", command, path], queryFn: () => call("check_command", { command, path }), staleTime: 5_000 });

export const importPreview = (text: string) =>
  queryOptions({ queryKey: ["check_import", text], queryFn: () => call("check_import", { text }), staleTime: 0, gcTime: 30_000 });

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
    ...forever,
  });

function apply(client: QueryClient, event: HostEvent): void {
  switch (event.kind) {
    case "servers":
      // Also what comes when announcements were missed: then everything that servers offer is read again.
      for (const name of [
        "servers",
        "tools",
        "resources",
        "prompts",
        "subscriptions",
        "tasks",
        "accounts",
        "secrets",
        "sign_in",
        "vault",
        "inbox",
        "decisions",
        "rules",
        "trust",
        "roots",
        "models",
      ])
        void client.invalidateQueries({ queryKey: [name] });
      break;
    case "server_added_elsewhere":
      // Only the person can know whether it was theirs.
      toast({
        text: i18next.t("addedElsewhere.text", { ns: "servers", name: visibleLine(event.name) }),
        action: {
          label: i18next.t("addedElsewhere.stop", { ns: "servers" }),
          run: () => void call("stop_server", { id: event.id }).catch((thrown: unknown) => toast({ text: errorText(thrown), tone: "bad" })),
        },
      });
      break;
    case "server":
      void client.invalidateQueries({ queryKey: servers().queryKey });
      void client.invalidateQueries({ queryKey: subscriptions(event.id).queryKey });
      void client.invalidateQueries({ queryKey: secrets().queryKey });
      break;
    case "tools":
      void client.invalidateQueries({ queryKey: tools(event.id).queryKey });
      void client.invalidateQueries({ queryKey: servers().queryKey });
      break;
    case "resources":
      void client.invalidateQueries({ queryKey: resources(event.id).queryKey });
      void client.invalidateQueries({ queryKey: subscriptions(event.id).queryKey });
      void client.invalidateQueries({ queryKey: servers().queryKey });
      break;
    case "prompts":
      void client.invalidateQueries({ queryKey: prompts(event.id).queryKey });
      void client.invalidateQueries({ queryKey: servers().queryKey });
      break;
    case "resource_updated":
      void client.invalidateQueries({ queryKey: subscriptions(event.id).queryKey });
      break;
    case "tasks":
      void client.invalidateQueries({ queryKey: tasks(event.id).queryKey });
      break;
    case "accounts":
      void client.invalidateQueries({ queryKey: accounts().queryKey });
      break;
    case "sign_in":
      void client.invalidateQueries({ queryKey: signIn(event.id).queryKey });
      break;
    case "vault":
      // What is sealed, and with it who is signed in, may have gone with the key.
      for (const { queryKey } of [vault(), accounts(), secrets()]) void client.invalidateQueries({ queryKey });
      break;
    case "inbox":
      for (const name of ["inbox", "decisions"]) void client.invalidateQueries({ queryKey: [name] });
      break;
    case "rules":
      for (const name of ["rules", "decisions"]) void client.invalidateQueries({ queryKey: [name] });
      break;
    case "trust":
      for (const queryKey of [["trust", event.id], ["servers"]]) void client.invalidateQueries({ queryKey });
      break;
    case "roots":
    case "models":
      // An answer that a decision tells of may be taken back there.
      for (const name of [event.kind, "decisions"]) void client.invalidateQueries({ queryKey: [name] });
      break;
    case "settings":
      void client.invalidateQueries({ queryKey: settings().queryKey });
      break;
    case "journal":
      client.setQueryData(journalHealth().queryKey, { failing: event.failing, message: event.message });
      break;
    default:
      event satisfies never;
  }
}

/** Keeps the cache true to the host for as long as the window lives. */
export async function watchHost(client: QueryClient): Promise<void> {
  await stream("watch_host", {}, (event) => apply(client, event));
  // What was read before the watch began may have missed a change.
  for (const { queryKey } of [servers(), settings(), accounts(), secrets(), vault(), inbox()]) void client.invalidateQueries({ queryKey });
}
