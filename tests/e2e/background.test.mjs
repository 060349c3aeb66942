// Running without the window: closing it keeps the servers running for other apps, and the tray, a notification or a
// second start bring it back.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { serverId } from "./asking.mjs";
import { binary, pictures } from "./desktop.mjs";
import { Notifications } from "./notifications.mjs";
import { Panel } from "./panel.mjs";
import { address, startDemo, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const SOON_MS = 20_000;

/** Whether Mooring's window is on the display. */
const isShown = (desktop) => desktop.windows().some(({ title }) => title?.includes("Mooring"));

const shown = (desktop) => until(() => isShown(desktop), "the window on the display");
const hidden = (desktop) => until(() => !isShown(desktop), "the window to be hidden");

/** Starts a demo server whose tools are approved, because other apps only see approved tools. */
async function startApproved(desktop) {
  const { session } = desktop;
  await startDemo(session);
  await address(session, `/servers?id=${serverId(desktop)}&tab=trust`);
  await (await session.byRole("button", /^Approve all \d+ new items/)).click();
  await session.shows(t("trust:state.approved"));
}

/** A new key for an app. */
function keyOf(desktop, app) {
  const added = spawnSync(binary("mooring"), ["apps", "add", app, "--json"], { env: desktop.env, encoding: "utf8" });
  assert.equal(added.status, 0, added.stderr);
  return JSON.parse(JSON.parse(added.stdout).result.entry).mcpServers.mooring.env.MOORING_APP_KEY;
}

/** Another app, which uses the servers through the bridge. */
class App {
  constructor(desktop) {
    const env = { ...desktop.env, MOORING_APP_KEY: keyOf(desktop, "test") };
    this.child = spawn(binary("mooring"), ["bridge", "--app", "test"], { env, stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.id = 0;
  }

  send(method, params, id) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method, params, ...(id && { id }) })}\n`);
  }

  async request(method, params) {
    const id = ++this.id;
    this.send(method, params, id);
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error(`no answer to ${method}`);
      const answer = JSON.parse(value);
      if (answer.id !== id || answer.method !== undefined) continue;
      if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
      return answer.result;
    }
  }

  async open() {
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } });
    this.send("notifications/initialized", {});
    return this;
  }

  /** The name under which the app sees a tool, once it does. */
  tool(name) {
    const find = async () => (await this.request("tools/list", {})).tools.find((tool) => tool.name.endsWith(name));
    return until(async () => (await find())?.name, `the tool ${name} for the app`);
  }

  close() {
    this.child.kill();
  }
}

/** Starts the application again. */
function startAgain(desktop, ...args) {
  const ran = spawnSync(binary("mooring-desktop"), args, { env: desktop.env, encoding: "utf8", timeout: SOON_MS });
  assert.equal(ran.status, 0, ran.stderr);
}

test("closing asks once; then the servers go on and the tray has the window", () =>
  withWindow("background", async (desktop) => {
    const { session } = desktop;
    const panel = await Panel.start(desktop);
    let app;
    try {
      await startApproved(desktop);
      const first = await panel.shows("Demo – Ready");
      assert.deepEqual([first.status, first.tooltip], ["Active", ["Mooring", "1 server running"]]);
      assert.deepEqual(first.icons, [
        [32, 32],
        [64, 64],
      ]);

      // Esc changes nothing, and the next close asks again.
      desktop.pressClose();
      await session.byRole("dialog", t("common:closing.title"));
      await session.screenshot(join(pictures(), "background-question.png"));
      await session.press(Key.Escape);
      await until(async () => !(await session.pageText()).includes(t("common:closing.title")), "the question to go");
      assert.ok(isShown(desktop));
      desktop.pressClose();
      await (await session.byRole("button", t("common:closing.keep"))).clickAway();
      await hidden(desktop);
      await until(() => session.execute("return document.visibilityState === 'hidden'"), "the page to rest");

      app = await new App(desktop).open();
      assert.ok(await app.tool("add"));

      // The tray stops and starts one or all servers, and shows their states.
      await panel.press("Demo – Ready > Stop");
      await panel.shows("Demo – Stopped");
      await panel.press("Demo – Stopped > Start");
      await panel.shows("Demo – Ready");
      await panel.press("Pause all servers");
      await panel.shows("Resume paused servers");
      await until(() => desktop.processes("mooring-demo-server").length === 0, "the server to end");
      assert.equal((await panel.look()).tooltip[1], "Servers are paused");
      await panel.press("Resume paused servers");
      await panel.shows("Demo – Ready");
      assert.ok(!isShown(desktop));

      await panel.press("Open Mooring");
      await shown(desktop);
      await until(() => session.execute("return document.visibilityState === 'visible'"), "the page to wake");
      await session.shows(t("trust:items.title"));
      // Closing doesn't ask any more.
      desktop.pressClose();
      await hidden(desktop);
      startAgain(desktop);
      await shown(desktop);
      desktop.pressClose();
      await hidden(desktop);
      await panel.activate();
      await shown(desktop);

      desktop.pressClose();
      await hidden(desktop);
      await panel.press("Quit Mooring");
      await desktop.ended();
    } finally {
      app?.close();
      await panel.stop();
    }
  }));

test("a question that comes while the window is hidden is a press away", () =>
  withWindow("background-question", async (desktop) => {
    const { session } = desktop;
    const panel = await Panel.start(desktop);
    const notifications = await Notifications.start(desktop, "--press");
    let app;
    try {
      await startApproved(desktop);
      await panel.shows("Demo – Ready");
      desktop.pressClose();
      await (await session.byRole("button", t("common:closing.keep"))).clickAway();
      await hidden(desktop);
      app = await new App(desktop).open();
      const tool = await app.tool("add");
      const call = app.request("tools/call", { name: tool, arguments: { a: 2, b: 2 } });
      call.catch(() => undefined); // the app ends before the answer
      const [notification] = await notifications.atLeast(1);
      assert.equal(notification.body, "test wants to run “add” of Demo.");
      // Pressing it shows the window with the question, and answers nothing.
      await shown(desktop);
      await session.shows(t("inbox:kicker.tool"));
      await session.screenshot(join(pictures(), "background-inbox.png"));
      const icon = await panel.shows("Open Inbox (1)");
      assert.deepEqual([icon.status, icon.tooltip[1]], ["NeedsAttention", "1 request is waiting for you"]);
    } finally {
      app?.close();
      await notifications.stop();
      await panel.stop();
    }
  }));

test("without a tray the window stays reachable, and settings say why", () =>
  withWindow(
    "background-no-tray",
    async (desktop) => {
      const { session } = desktop;
      await startApproved(desktop);
      await address(session, "/settings?section=background");
      await session.shows(t("settings:background.noTray"));
      const entry = join(desktop.env.XDG_CONFIG_HOME, "autostart/mooring.desktop");
      const login = () => session.byRole("switch", t("settings:background.startAtLogin.label"));
      assert.ok(!existsSync(entry));
      await (await login()).click();
      await until(() => existsSync(entry), "the entry of the autostart folder");
      assert.ok(readFileSync(entry, "utf8").includes(`Exec=env "MOORING_HOME=${desktop.home}" "${binary("mooring-desktop")}" --hidden\n`));
      await session.screenshot(join(pictures(), "background-settings.png"));
      await (await login()).click();
      await until(() => !existsSync(entry), "the entry to go");

      desktop.pressClose();
      await session.shows(t("common:closing.noTray"));
      await (await session.byRole("button", t("common:closing.keep"))).clickAway();
      const app = await new App(desktop).open();
      try {
        assert.ok(await app.tool("add"));
      } finally {
        app.close();
      }
      assert.equal(desktop.processes("mooring-desktop").length, 1);
      startAgain(desktop);
      await shown(desktop);
      // Ctrl Q quits, whatever closing the window does.
      await session.press(Key.Control, "q");
      await desktop.ended();
    },
    { env: { DBUS_SESSION_BUS_ADDRESS: undefined } },
  ));

test("a start at login stays hidden until someone wants the window", () =>
  withWindow(
    "background-login",
    async (desktop) => {
      const panel = await Panel.start(desktop);
      try {
        await panel.shows("Open Mooring");
        assert.ok(!isShown(desktop));
        startAgain(desktop);
        await shown(desktop);
        await desktop.session.byCss("main[aria-label]");
      } finally {
        await panel.stop();
      }
    },
    { args: ["--hidden"], sized: false },
  ));
