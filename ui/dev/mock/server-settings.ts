// What the scripted backend does with what is set for a server outside its form: its icons, and for whom it runs.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { AppCommands } from "./app-commands";
import type { Args } from "./handlers";
import { remoteIcons } from "./icons";

export abstract class ServerSettings extends AppCommands {
  protected abstract change(id: number, part: Partial<ServerView>): ServerView;

  set_loads_icons = async ({ id, loads }: Args<"set_loads_icons">) => {
    this.change(id, { loadsIcons: loads });
    return null;
  };
  load_icon = async ({ id, src }: Args<"load_icon">) => (this.find(id).loadsIcons ? (remoteIcons[src] ?? null) : null);
  set_instance_rule = async ({ id, rule }: Args<"set_instance_rule">) => {
    this.change(id, { instanceRule: rule });
    return null;
  };
  end_instance = async ({ id, number }: Args<"end_instance">) => {
    this.change(id, { instances: this.find(id).instances.filter((one) => one.number !== number) });
    return null;
  };
}
