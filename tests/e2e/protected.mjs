// The environment of a sign-in in the window: a protected server, a browser with a person, and a keychain.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { installed } from "./desktop.mjs";
import { until } from "./webdriver.mjs";

async function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** Runs `protected.mjs` of the real servers while `work` runs: an authorization server and a protected server. */
export async function withProtected(wanted, work) {
  const args = [installed("npm", "protected.mjs"), JSON.stringify(wanted)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { issuer, resource, control } = JSON.parse(line);
    const ask = async (path, method = "POST") => (await fetch(`${control}/${path}`, { method })).json();
    await work({
      issuer,
      resource,
      /** The events so far. */
      seen: () => ask("", "GET"),
      /** How often a grant was given. */
      granted: async (grant) => (await ask("", "GET")).granted.filter((given) => given.grant_type === grant).length,
      liveFor: (seconds) => ask(`life/${seconds}`),
      expire: () => ask("expire"),
      /** Waits until the newest token has expired. */
      untilExpired: () => until(async () => !(await ask("", "GET")).newest, "the token to end", 30_000),
      /** The HTTP status for each token that was ever issued. */
      tried: async () => (await ask("try")).answers,
      /** Every code, verifier and token that was exchanged. */
      secrets: async () => (await ask("secrets")).answers,
    });
  } finally {
    await ended(child);
  }
}

/** The system's browser: a script that waits until it may continue. */
export class Browser {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "mooring-browser-"));
    const { log, gate } = this;
    const script = `#!/bin/sh
echo "$1" >> '${log}'
tries=0
while [ ! -e '${gate}' ] && [ $tries -lt 600 ]; do sleep 0.1; tries=$((tries + 1)); done
exec '${process.execPath}' '${installed("npm", "browser.mjs")}' "$1" ada >> '${log}.ended' 2>&1
`;
    for (const name of ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"]) {
      writeFileSync(join(this.directory, name), script);
      chmodSync(join(this.directory, name), 0o755);
    }
  }

  get log() {
    return join(this.directory, "opened");
  }

  get gate() {
    return join(this.directory, "go");
  }

  /** The additional environment for the window. */
  get env() {
    return { PATH: `${this.directory}:${process.env.PATH}` };
  }

  /** The opened URLs. */
  opened() {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").filter(Boolean) : [];
  }

  /** Lets the browser continue. */
  go() {
    writeFileSync(this.gate, "");
  }

  close() {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The keyring of a window's session. */
export class Keyring {
  /** Starts the keyring, unlocked with this password, or locked without one. */
  static async start(desktop, password) {
    const control = join(desktop.directory, "keyring");
    mkdirSync(control, { mode: 0o700, recursive: true });
    const env = { ...desktop.env };
    // No one could type into a dialog.
    delete env.DISPLAY;
    const args = ["--foreground", "--components=secrets", `--control-directory=${control}`];
    if (password) args.push("--unlock");
    const daemon = spawn("gnome-keyring-daemon", args, { env, stdio: ["pipe", "ignore", "ignore"] });
    daemon.stdin.end(password ?? "");
    await until(() => owned(desktop, "org.freedesktop.secrets"), "the keyring");
    return new Keyring(desktop, daemon);
  }

  constructor(desktop, daemon) {
    this.desktop = desktop;
    this.daemon = daemon;
  }

  async stop() {
    await ended(this.daemon);
    await until(async () => !(await owned(this.desktop, "org.freedesktop.secrets")), "the keyring to go");
  }
}

async function owned(desktop, name) {
  const args = ["--session", "--print-reply", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus"];
  const asked = spawn("dbus-send", [...args, "org.freedesktop.DBus.NameHasOwner", `string:${name}`], { env: desktop.env });
  let said = "";
  asked.stdout.setEncoding("utf8").on("data", (text) => (said += text));
  await once(asked, "close");
  return said.includes("true");
}
