// The window's desktop notifications.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "./webdriver.mjs";

export class Notifications {
  /** Receives notifications on the desktop's own bus from now on. With `--press`, each is pressed at once. */
  static async start(desktop, ...args) {
    const program = join(import.meta.dirname, "notifications.py");
    const child = spawn("python3", ["-u", program, ...args], { env: desktop.env, stdio: ["ignore", "pipe", "pipe"] });
    const notifications = new Notifications(child);
    try {
      await until(() => notifications.lines.length > 0 || child.exitCode !== null, "the service of notifications");
      if (child.exitCode !== null) throw new Error(notifications.errors);
    } catch (error) {
      await notifications.stop();
      throw error;
    }
    return notifications;
  }

  constructor(child) {
    this.child = child;
    this.lines = [];
    this.errors = "";
    createInterface({ input: child.stdout }).on("line", (line) => this.lines.push(line));
    child.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
  }

  /** All notifications so far, oldest first. */
  all() {
    return this.lines.slice(1).map((line) => JSON.parse(line));
  }

  /** All notifications, once there are this many. */
  async atLeast(count) {
    await until(() => this.all().length >= count, `${count} notifications, ${this.errors}`);
    return this.all();
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.kill();
    await gone;
  }
}
