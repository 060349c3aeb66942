// Another app in the real window: the change is shown and written when connecting, the app makes calls through the new
// entry, with the window open and hidden, and disconnecting restores the file.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { askAbout, isEmpty, pressArmed, serverId } from "./asking.mjs";
import { binary, pictures } from "./desktop.mjs";
import { DrivenApp, said } from "./driven.mjs";
import { Notifications } from "./notifications.mjs";
import { Panel } from "./panel.mjs";
import { address, goTo, startDemo, withWindow, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");

/** With comments, unknown members, odd spacing, and no newline at the end. */
const CURSOR = `{\t
  // Ask Ana before changing this
  "mcpServers": {
    "tides":   { "command": "tides-mcp", "args": [], },
  },\r
  "experimental": { "colour": [1, 2.50, null] }
}`;

/** The placeholder of the key before the change is approved. */
const NO_KEY_YET = "(made when you connect)";

/** A person's home folder with Cursor in it, and a window. */
async function withCursor(name, work) {
  const home = mkdtempSync(join(tmpdir(), "mooring-person-"));
  const file = join(home, ".cursor", "mcp.json");
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, CURSOR);
    await withWindow(name, (desktop) => work({ desktop, session: desktop.session, file }), { env: { HOME: home } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const title = (key) => t(key).replace("{{name}}", "Cursor");
const closed = (session) => until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");

/** Connects Cursor in the window and returns its file. `look` runs before the change is approved. */
async function connect(session, file, look = () => {}) {
  await session.byCss("main[aria-label]");
  await address(session, "/apps?id=cursor&open=true");
  await session.shows(file);
  await (await session.byRole("button", t("apps:connect.action"))).click();
  await session.byRole("dialog", title("apps:connect.title"));
  await look();
  // The button shows how many new things it approves.
  await (await session.byCss("[role=dialog] footer button:last-child:enabled")).click();
  await session.byRole("dialog", title("apps:lead.title"));
  await (await session.byRole("button", t("apps:lead.done"))).click();
  await closed(session);
  return readFileSync(file, "utf8");
}

/** Disconnects Cursor. Its file must be identical to the original. */
async function disconnect(session, file) {
  await (await session.byRole("button", t("apps:disconnect.action"))).click();
  const undo = await session.byRole("dialog", title("apps:disconnect.title"));
  await session.shows(t("apps:disconnect.outcome.restored").slice(0, 24));
  await (await session.byRole("button", t("apps:disconnect.submit"), { within: undo })).click();
  await closed(session);
  assert.equal(readFileSync(file, "utf8"), CURSOR);
  assert.deepEqual(readdirSync(dirname(file)), ["mcp.json"], "no backup is left");
}

test("an app is connected by the change that was shown, and its file comes back to the byte", async () => {
  await withCursor("apps", async ({ session, file }) => {
    const connected = await connect(session, file, async () => {
      await (await session.byCss("[role=dialog] details summary")).click();
      await session.shows("bridge");
      // The key is created when the person approves. Until then a placeholder is shown.
      await session.shows(`"MOORING_APP_KEY": "${NO_KEY_YET}"`);
      await session.shows(t("apps:connect.backup").slice(0, 24));
      assert.equal(readFileSync(file, "utf8"), CURSOR, "nothing is written before the person agrees");
    });
    assert.match(connected, /"bridge",\s*"--app",\s*"cursor"/);
    const { MOORING_APP_KEY: key } = entryOf(connected).env;
    assert.match(key, /^\S{20,}$/);
    assert.ok(!connected.includes(NO_KEY_YET), "the key itself is written");
    assert.ok(!(await session.pageText()).includes(key), "and shown nowhere");
    assert.match(connected, /Ask Ana before changing this/);
    assert.match(connected, /\[1, 2\.50, null\]/);
    await disconnect(session, file);
  });
});

/** Starts a demo server with approved tools. */
async function startApproved(desktop) {
  const { session } = desktop;
  await session.byCss("main[aria-label]");
  await startDemo(session);
  await address(session, `/servers?id=${serverId(desktop)}&tab=trust`);
  await (await session.byRole("button", /^Approve all \d+ new items/)).click();
  await session.shows(t("trust:state.approved"));
}

/** Makes Mooring ask about Cursor's calls from now on. */
async function askHere(session) {
  await address(session, "/apps?id=cursor&open=true");
  await (await session.byRole("radio", t("apps:level.ask_here.name"))).click();
  const chosen = () => session.execute("return document.querySelector('[role=radio][data-state=checked][value=ask_here]') !== null");
  await until(chosen, "the level to be chosen");
}

/** Our entry in the file, parsed by a program that understands comments. */
const entryOf = (text) => runInNewContext(`(${text})`).mcpServers.mooring;

/** Text that real servers send and that no tool may lose. */
const ODD = 'quay 7 \u2028 \u0000 \ud83d\udea2 "\\/ \t é';

test("an app calls by the entry that was written, and what it calls is asked about and logged", async () => {
  await withCursor("apps-call", async ({ desktop, session, file }) => {
    await startApproved(desktop);
    const entry = entryOf(await connect(session, file));
    await askHere(session);
    const app = await DrivenApp.open(desktop, entry);
    // The same client, connected to the server directly.
    const direct = await DrivenApp.open(desktop, { command: binary("mooring-demo-server"), args: [] });
    try {
      const listed = await app.run("tools");
      const tool = (name) => listed.find((one) => one.name.endsWith(`__${name}`)).name;
      for (const [name, given] of [
        ["echo", { text: ODD }],
        ["structured", {}],
        ["image", {}],
      ]) {
        const number = app.beginCall(tool(name), given);
        await goTo(session, "inbox");
        await session.shows(t("inbox:kicker.tool"));
        if (name === "echo") await session.screenshot(join(pictures(), "apps-asks.png"));
        await pressArmed(session, "inbox:answer.tool.once");
        const [through, without] = [await app.end(number), await direct.call(name, given)];
        assert.equal(JSON.stringify(through), JSON.stringify(without), name);
        if (name === "echo") assert.equal(said(through), ODD);
        await isEmpty(session);
      }
      await address(session, "/activity?kind=verdict");
      for (const name of ["echo", "structured", "image"]) await session.byRole("row", new RegExp(`Allowed${name}.*called by Cursor`));
      await session.screenshot(join(pictures(), "apps-activity.png"));
    } finally {
      await Promise.all([app.close(), direct.close()]);
    }
    await address(session, "/apps?id=cursor&open=true");
    await disconnect(session, file);
  });
});

test("an app's calls go on without the window, and the tray brings it back with what is asked", async () => {
  await withCursor("apps-hidden", async ({ desktop, session, file }) => {
    const panel = await Panel.start(desktop);
    const notifications = await Notifications.start(desktop);
    let app;
    try {
      await startApproved(desktop);
      await askAbout(session, "add");
      const entry = entryOf(await connect(session, file));
      app = await DrivenApp.open(desktop, entry);
      const listed = await app.run("tools");
      const tool = (name) => listed.find((one) => one.name.endsWith(`__${name}`)).name;
      const isShown = () => desktop.windows().some((window) => window.title?.includes("Mooring"));

      // A running call continues when the window is closed, and a new one starts without it.
      const long = app.beginCall(tool("progress"), { seconds: 60 });
      const steps = () => app.messages.filter(({ of }) => of === long).length;
      await until(() => steps() > 0, "the first step");
      desktop.pressClose();
      await (await session.byRole("button", t("common:closing.keep"))).clickAway();
      await until(() => !isShown(), "the window to be hidden");
      assert.equal(said(await app.call(tool("echo"), { text: ODD })), ODD);
      const before = steps();
      await until(() => steps() > before + 1, "more steps");
      await app.run("cancel", { of: long });
      assert.equal(notifications.all().length, 0, "nothing was asked");

      const asked = app.beginCall(tool("add"), { a: 2, b: 40 });
      const [notification] = await notifications.atLeast(1);
      assert.match(notification.body, /Demo/);
      await panel.shows("Open Inbox (1)");
      assert.ok(!isShown());
      await panel.press("Open Inbox (1)");
      await until(isShown, "the window on the display");
      await session.shows(t("inbox:kicker.tool"));
      await session.screenshot(join(pictures(), "apps-hidden-asks.png"));
      await pressArmed(session, "inbox:answer.tool.once");
      assert.equal(said(await app.end(asked)), "42");
    } finally {
      await app?.close();
      await notifications.stop();
      await panel.stop();
    }
  });
});
