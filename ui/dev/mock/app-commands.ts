// What the scripted backend answers about other apps.
import type { Apps } from "./apps";
import { Background } from "./background";
import type { Args } from "./handlers";

export abstract class AppCommands extends Background {
  abstract readonly apps: Apps;

  list_apps = async () => this.apps.list(this.servers);
  app_activity = async () => this.apps.activity();
  cancel_app_call = async ({ call }: Args<"cancel_app_call">) => this.apps.cancelCall(call);
  app_cost = async ({ id }: Args<"app_cost">) => this.apps.cost(id, this.servers);
  get_app_token = async ({ id }: Args<"get_app_token">) => this.apps.token(id);
  create_app_token = async (args: Args<"create_app_token">) => this.apps.createToken(args);
  revoke_app_token = async (args: Args<"revoke_app_token">) => this.apps.revokeToken(args);
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
