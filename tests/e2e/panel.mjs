// A panel with a tray on the desktop's own bus, which a test can read and press.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "./webdriver.mjs";

export class Panel {
  /** Shows the icons that appear from now on. */
  static async start(desktop) {
    const program = join(import.meta.dirname, "panel.py");
    const child = spawn("python3", ["-u", program], { env: desktop.env, stdio: ["pipe", "pipe", "pipe"] });
    const panel = new Panel(child);
    await panel.#line();
    return panel;
  }

  constructor(child) {
    this.child = child;
    this.errors = "";
    this.lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    child.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
  }

  async #line() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`the panel has ended: ${this.errors}`);
    return JSON.parse(value);
  }

  #ask(line) {
    this.child.stdin.write(`${line}\n`);
    return this.#line();
  }

  /** The icon: `{status, tooltip, icons, menu}`, or null if there is none. */
  look() {
    return this.#ask("look");
  }

  /** The icon, once its menu has this entry. */
  async shows(label) {
    const has = (entries) => entries.some((entry) => (Array.isArray(entry) ? entry[0] === label || has(entry[1]) : entry === label));
    return until(async () => {
      const icon = await this.look();
      return icon && has(icon.menu) ? icon : null;
    }, `${label} in the tray's menu`);
  }

  /** Presses an entry of the menu. `label > label` is an entry of a submenu. */
  async press(label) {
    const problem = await this.#ask(`press ${label}`);
    if (problem !== null) throw new Error(problem);
  }

  /** Presses the icon. */
  activate() {
    return this.#ask("activate");
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.kill();
    await gone;
  }
}
