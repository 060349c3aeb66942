// What the scripted backend answers about other apps, and about what they get.
import type { ImportPreview } from "@/ipc/bindings/ImportPreview";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { type Apps, ownConfig } from "./apps";
import { Background } from "./background";
import type { Args } from "./handlers";
import type { Trust } from "./trust";

export abstract class AppCommands extends Background {
  abstract readonly apps: Apps;
  abstract readonly trust: Trust;
  protected abstract find(id: number): ServerView;
  abstract check_import: (args: Args<"check_import">) => Promise<ImportPreview>;
  abstract import_servers: (args: Args<"import_servers">) => Promise<ServerView[]>;

  /** An app gets the list of tools, or calls one. */
  appDoes(app: string, what: "lists" | "calls"): void {
    this.apps.does(app, what);
    this.tell({ kind: "app_activity" });
  }

  get_trust = async ({ server }: Args<"get_trust">) => this.trust.of(this.find(server));
  approve_trust = async ({ server, approvals }: Args<"approve_trust">) => {
    this.sent.push({ name: "approve_trust", args: { server, approvals } });
    return this.trust.approve(this.find(server), approvals);
  };
  withdraw_trust = async ({ server }: Args<"withdraw_trust">) => this.trust.withdraw(this.find(server));

  list_apps = async () => this.apps.list(this.servers);
  app_activity = async () => this.apps.activity();
  cancel_app_call = async ({ call }: Args<"cancel_app_call">) => this.apps.cancelCall(call);
  app_cost = async ({ id }: Args<"app_cost">) => this.apps.cost(id, this.servers);
  get_app_token = async ({ id }: Args<"get_app_token">) => this.apps.token(id);
  create_app_token = async (args: Args<"create_app_token">) => this.apps.createToken(args);
  revoke_app_token = async (args: Args<"revoke_app_token">) => this.apps.revokeToken(args);
  check_app_import = async ({ id }: Args<"check_app_import">) => {
    const preview = await this.check_import({ text: ownConfig(id) });
    return { hash: "shown", preview };
  };
  import_app_servers = async ({ id, names }: Args<"import_app_servers">) => this.import_servers({ text: ownConfig(id), names });
  plan_connect_app = async (args: Args<"plan_connect_app">) => this.apps.plan(args);
  connect_app = async (args: Args<"connect_app">) => this.apps.connect(args);
  plan_disconnect_app = async ({ id }: Args<"plan_disconnect_app">) => this.apps.undo(id);
  disconnect_app = async ({ id }: Args<"disconnect_app">) => this.apps.disconnect(id);
  set_app = async (args: Args<"set_app">) => this.apps.set(args);
  set_app_offers = async (args: Args<"set_app_offers">) => this.apps.setOffers(args);
  set_app_pinned = async (args: Args<"set_app_pinned">) => this.apps.setPinned(args);
  set_app_longest_name = async (args: Args<"set_app_longest_name">) => this.apps.setLongestName(args);
  set_app_tool_list = async (args: Args<"set_app_tool_list">) => this.apps.setToolList(args);
  create_app_entry = async (args: Args<"create_app_entry">) => this.apps.createEntry(args);
  remove_app_key = async (args: Args<"remove_app_key">) => this.apps.removeKey(args);
  app_snippet = async ({ id, format }: Args<"app_snippet">) => this.apps.snippet(id, format);
}
