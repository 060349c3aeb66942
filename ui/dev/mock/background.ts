// What goes on without the window, of the scripted backend: closing, starting at login, pausing every server.
import type { BackgroundView } from "@/ipc/bindings/BackgroundView";
import type { HostEvent } from "@/ipc/bindings/HostEvent";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { Settings } from "@/ipc/bindings/Settings";
import type { Args } from "./handlers";
import type { Inbox } from "./inbox";
import type { Scene } from "./scenes";

export abstract class Background {
  private readonly desktop: Omit<BackgroundView, "paused">;
  /** The servers that were running when they were paused. */
  private paused: readonly number[] = [];

  constructor(scene: Scene) {
    this.desktop = { tray: !scene.endsWith("no_tray"), startsAtLogin: false };
  }

  abstract servers: ServerView[];
  abstract readonly inbox: Inbox;
  abstract readonly sent: { name: string; args: unknown }[];
  protected abstract tell(event: HostEvent): void;
  abstract get_settings: () => Promise<Settings>;
  abstract set_settings: (args: Args<"set_settings">) => Promise<Settings>;
  abstract start_server: (args: Args<"start_server">) => Promise<null>;
  abstract stop_server: (args: Args<"stop_server">) => Promise<null>;

  get_background = async (): Promise<BackgroundView> => ({ ...this.desktop, paused: this.paused.length > 0 });
  set_start_at_login = async ({ on }: Args<"set_start_at_login">): Promise<BackgroundView> => {
    this.desktop.startsAtLogin = on;
    return this.get_background();
  };
  list_terminals = async () => [...this.inbox.terminals];
  forget_terminal = async ({ program }: Args<"forget_terminal">) => {
    this.inbox.terminals = this.inbox.terminals.filter((known) => known !== program);
    return null;
  };
  answer_close = async ({ answer }: Args<"answer_close">) => {
    this.sent.push({ name: "answer_close", args: { answer } });
    if (answer !== "cancel") await this.set_settings({ settings: { ...(await this.get_settings()), whenClosed: answer } });
    return null;
  };
  quit = async () => {
    this.sent.push({ name: "quit", args: {} });
    return null;
  };
  pause_servers = async () => {
    const running = this.servers.filter(({ state }) => state !== "stopped").map(({ id }) => id);
    this.paused = [...this.paused, ...running];
    for (const id of running) await this.stop_server({ id });
    this.tell({ kind: "app" });
    return null;
  };
  resume_servers = async () => {
    const stopped = this.paused;
    this.paused = [];
    for (const id of stopped) void this.start_server({ id });
    this.tell({ kind: "app" });
    return null;
  };
}
