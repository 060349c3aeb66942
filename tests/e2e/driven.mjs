// Another app in the tests of the window: the official TypeScript SDK, at the command that stands in an app's file. What
// it can do is said in tests/servers/apps/driven.mjs.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installed } from "./desktop.mjs";
import { until } from "./webdriver.mjs";

/** The text that a call has ended with. */
export const said = ({ content }) => content[0].text;

export class DrivenApp {
  /** Starts it as the entry of its file says, in the person's session. Which data folder it is, the entry alone says. */
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

  /** Begins something, and gives its number. */
  begin(act, members) {
    this.last += 1;
    const line = JSON.stringify({ ...members, id: this.last, do: act });
    // Whoever reads lines may take these two for the end of one.
    this.child.stdin.write(`${line.replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)}\n`);
    return this.last;
  }

  beginCall(name, given) {
    return this.begin("call", { name, arguments: given });
  }

  /** The result of what was begun. */
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

  /** A message that came, or comes. */
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
