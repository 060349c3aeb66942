// The host's events, and the data of the page that they affect.
import type { QueryClient } from "@tanstack/react-query";
import i18next from "i18next";
import { errorText } from "@/lib/error-text";
import { toast } from "@/lib/toasts";
import { visibleLine } from "@/lib/untrusted";
import type { HostEvent } from "./bindings/HostEvent";
import type { Tag } from "./bindings/tags";
import { call, stream } from "./bridge";
import { readAgain } from "./cache";
import { appInfo, journalHealth } from "./queries";

type Kind = HostEvent["kind"];
type EventOf<K extends Kind> = Extract<HostEvent, { kind: K }>;

/** What an event says has changed. */
const touched: { readonly [K in Kind]: (event: EventOf<K>) => readonly Tag[] | "everything" } = {
  // A name is shown everywhere. The event is also sent when others were lost.
  servers: () => "everything",
  server_added_elsewhere: () => [],
  server: ({ id }) => [{ of: "servers", id }],
  tools: ({ id }) => [
    { of: "tools", id },
    { of: "icons", id },
    { of: "servers", id },
  ],
  resources: ({ id }) => [
    { of: "resources", id },
    { of: "icons", id },
    { of: "subscriptions", id },
    { of: "servers", id },
  ],
  prompts: ({ id }) => [
    { of: "prompts", id },
    { of: "icons", id },
    { of: "servers", id },
  ],
  resource_updated: ({ id }) => [{ of: "subscriptions", id }],
  tasks: ({ id }) => [{ of: "tasks", id }],
  accounts: () => [{ of: "accounts" }, { of: "secrets" }],
  sign_in: ({ id }) => [{ of: "sign_in", id }],
  // Encrypted data and accounts may be lost with the key.
  vault: () => [{ of: "vault" }, { of: "accounts" }, { of: "secrets" }],
  inbox: () => [{ of: "inbox" }, { of: "decisions" }],
  // A remembered answer may be revoked in one of these.
  apps: () => [{ of: "apps" }],
  app_activity: () => [{ of: "app_activity" }],
  rules: () => [{ of: "rules" }, { of: "decisions" }],
  roots: () => [{ of: "roots" }, { of: "decisions" }],
  profiles: () => [{ of: "profiles" }],
  models: () => [{ of: "models" }, { of: "decisions" }],
  trust: ({ id }) => [
    { of: "trust", id },
    { of: "servers", id },
  ],
  settings: () => [{ of: "settings" }],
  app: () => [{ of: "app" }],
  // It includes the new state.
  log: () => [],
  journal: () => [],
};

const tagsOf = <K extends Kind>(event: EventOf<K>) => touched[event.kind](event);

/** Updates the log's size in the application's data. */
function grow(client: QueryClient, { rows, bytes }: EventOf<"log">): void {
  const { queryKey } = appInfo();
  // A read that is in progress may be older.
  if (client.isFetching({ queryKey }) > 0) void client.invalidateQueries({ queryKey });
  else client.setQueryData(queryKey, (info) => info && { ...info, logRows: rows, databaseBytes: bytes });
}

function apply(client: QueryClient, event: HostEvent): void {
  void readAgain(client, tagsOf(event));
  if (event.kind === "log") grow(client, event);
  if (event.kind === "journal") client.setQueryData(journalHealth().queryKey, { failing: event.failing, message: event.message });
  // Only the person knows whether they did it.
  if (event.kind === "server_added_elsewhere")
    toast({
      text: i18next.t("addedElsewhere.text", { ns: "servers", name: visibleLine(event.name) }),
      action: {
        label: i18next.t("addedElsewhere.stop", { ns: "servers" }),
        run: () => void call("stop_server", { id: event.id }).catch((thrown: unknown) => toast({ text: errorText(thrown), tone: "bad" })),
      },
    });
}

/** Keeps the cache up to date while the window lives. */
export async function watchHost(client: QueryClient): Promise<void> {
  await stream("watch_host", {}, (event) => apply(client, event));
  // Data that was read before this may have missed a change.
  void readAgain(client, "everything");
}
