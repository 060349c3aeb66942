// Part of `cargo xtask package --check`: tests an installed package. Starts the application from its desktop entry,
// then by name, and runs the command line.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { demonstrate, report, say } from "./demonstration.mjs";
import { binary, Desktop } from "./desktop.mjs";
import { mooring, mooringOk } from "./person.mjs";
import { until } from "./webdriver.mjs";

/** A cold start reads everything from disk. */
const SHOWN_MS = 60_000;

/** Runs `work` and ends its environment. An error names the step. */
async function step(name, desktop, work) {
  try {
    await work(desktop);
  } catch (error) {
    error.message = `${name}: ${error.message}`;
    await report(error, desktop, "package-check");
  } finally {
    await desktop.close();
  }
  return process.exitCode === undefined;
}

async function fromTheEntry(desktop, entry) {
  const value = (key) => readFileSync(entry, "utf8").match(new RegExp(`^${key}=(.*)$`, "m"))?.[1];
  assert.deepEqual(desktop.processes("mooring-desktop"), []);
  // As if clicked: without the variable that enables automation.
  const { TAURI_WEBVIEW_AUTOMATION: _driven, ...env } = desktop.env;
  // The application inherits its output, which would keep a pipe open.
  const asked = spawnSync("gio", ["launch", entry], { env, stdio: ["ignore", "ignore", "inherit"], timeout: SHOWN_MS });
  assert.equal(asked.status, 0, `gio launch ${entry}: ${asked.error?.message ?? "refused"}`);
  const window = await until(() => desktop.windows()[0], "a window on the display", SHOWN_MS);
  const [started] = desktop.processes("mooring-desktop");
  assert.equal(readlinkSync(`/proc/${started}/exe`), binary("mooring-desktop"), "another program than the installed one");
  assert.equal(window.title, value("Name"), "the window's title");
  assert.ok(
    window.class.includes(value("StartupWMClass")),
    `the entry is of windows of the class ${value("StartupWMClass")}, this one is of ${window.class}`,
  );
  say("desktop entry", `${entry} opened the window "${window.title}"`);
  await desktop.closeWindow();
  say("close button", "ended the application");
}

async function byItsName(desktop) {
  await demonstrate(desktop.session, "package-check");
  const [server] = desktop.processes("mooring-demo-");
  assert.equal(readlinkSync(`/proc/${server}/exe`), binary("mooring-demo-server"), "another demo server than the installed one");
}

async function onTheCommandLine(desktop) {
  const { code, stdout, stderr } = mooring(desktop, "--version");
  assert.equal(code, 0, stderr);
  const listed = JSON.parse(mooringOk(desktop, "tools", "--json", "--", "mooring-demo-server"));
  const names = listed.result.tools.map(({ name }) => name);
  assert.ok(listed.ok && names.includes("add"), JSON.stringify(listed));
  say("command line", `${stdout.trim()} lists ${names.length} tools of mooring-demo-server`);
}

const [entry] = process.argv.slice(2);
// In sequence, because the first failure says most.
(await step("from the desktop entry", await Desktop.prepare(), (desktop) => fromTheEntry(desktop, entry))) &&
  (await step("in the window", await Desktop.start(), byItsName)) &&
  (await step("on the command line", await Desktop.prepare(), onTheCommandLine));
