// Running without the window: closing, starting at login, pausing every server.
import type { Args } from "./handlers";
import { Part } from "./part";

export class Background extends Part {
  private startsAtLogin = false;
  /** The servers that were running when they were paused. */
  paused: readonly number[] = [];

  get_background = async () => ({
    tray: !this.scene.endsWith("no_tray"),
    startsAtLogin: this.startsAtLogin,
    paused: this.paused.length > 0,
  });
  set_start_at_login = async ({ on }: Args<"set_start_at_login">) => {
    this.startsAtLogin = on;
    return this.get_background();
  };
  quit = async () => null;
}
