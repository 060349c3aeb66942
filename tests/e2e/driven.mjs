// Another app in the window tests: the official TypeScript SDK with the command from an app's file.
// tests/servers/apps/driven.mjs lists what it can do.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installed } from "./desktop.mjs";
import { until } from "./webdriver.mjs";

/** The text in the result of a call. */
export const said = ({ content }) => content[0].text;

export class DrivenApp {
  /** Starts the app with the entry in its file, in the person's session. Only the entry sets the data folder. */
  static async open(desktop, { command, args, env: own }) {
    const env = { ...desktop.env, MOORING_HOME: undefined, ...own };
    const app = new DrivenApp(spawn("node", [installed("npm/driven.mjs"), command, ...args], { env }));
    await app.run("open");
    return app;
  }

  constructor(child) {
    this.child = child;
    this.messages = [];
    this.errors = "";
    this.last = 0;
    createInterface({ input: child.stdout }).on("line", (line) => this.messages.push(JSON.parse(line)));
    child.stderr.setEncoding("utf8").on("data", (text) => (this.errors += text));
  }

  /** Starts an action and returns its number. */
  begin(act, members) {
    this.last += 1;
    const line = JSON.stringify({ ...members, id: this.last, do: act });
    // A reader of lines may take these two for line ends.
    this.child.stdin.write(`${line.replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)}\n`);
    return this.last;
  }

  beginCall(name, given) {
    return this.begin("call", { name, arguments: given });
  }

  /** The result of an action. */
  async end(number) {
    const message = await this.message(({ id }) => id === number, `the end of ${number}`);
    if (message.error) throw new Error(JSON.stringify(message.error));
    return message.result;
  }

  run(act, members) {
    return this.end(this.begin(act, members));
  }

  call(name, given) {
    return this.end(this.beginCall(name, given));
  }

  /** A matching message, now or in the future. */
  message(isMeant, what) {
    return until(
      () => {
        const found = this.messages.find(isMeant);
        if (!found && this.child.exitCode !== null) throw new Error(`the app has ended: ${this.errors}`);
        return found;
      },
      what,
      30_000,
    );
  }

  async close() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, "exit");
    this.child.stdin.end();
    await gone;
  }
}
