// The first day on an empty computer in the real window: the demo server and its tour, a server of one's own with npx,
// its form, and an app that calls it. Once with the mouse alone, once with the keyboard alone.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pressArmed } from "./asking.mjs";
import { installed, pictures } from "./desktop.mjs";
import { DrivenApp, said } from "./driven.mjs";
import { Keys } from "./keys.mjs";
import { clickRow, ends, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
/** As in the server's README. The package is already installed, so nothing is downloaded. */
const COMMAND = `npx --prefix ${installed("npm")} mcp-server-everything`;
const TOOL = "trigger-elicitation-request";
const LONGEST_START = 60_000;
const QUESTION = "[data-question-in-place]";
const ready = (server) => new RegExp(`^${server}.*${t("common:state.ready")}`, "i");

/** A person who only uses the keyboard for text. */
class ByMouse {
  constructor(session) {
    this.session = session;
  }

  async press(name, role = "button") {
    await (await this.session.byRole(role, startsWith(name), { timeout: LONGEST_START })).click();
  }

  async type(text, field) {
    await field.click();
    for (const letter of text) await this.session.press(letter);
  }

  showMe() {
    return this.press(t("common:firstSteps.show"));
  }

  async call(text) {
    await this.type(text, await this.session.byRole("textbox", "text"));
    await this.run();
  }

  run() {
    return this.press(t("workbench:run.do.tool"));
  }

  async answer(text) {
    await this.type(text, await this.session.byCss(`${QUESTION} :is(input, textarea)`, { timeout: LONGEST_START }));
    await this.press(t("inbox:answer.review"));
    await this.session.shows(t("inbox:review.exact"));
    await pressArmed(this.session, "inbox:answer.send");
  }

  async addServer() {
    await this.press(t("servers:place"), "link");
    await this.press(t("servers:add.button"));
    await this.type(COMMAND, await this.session.byRole("textbox", t("servers:form.command.label")));
    await this.press(t("servers:add.submit"));
  }

  async openTool(server) {
    await clickRow(this.session, ready(server));
    await this.press(t("servers:menu.workbench"));
    await this.type(TOOL, await this.session.byRole("textbox", t("workbench:tree.search")));
    await this.press(TOOL, "treeitem");
  }

  async connect(app) {
    await this.press(t("apps:place"), "link");
    await clickRow(this.session, startsWith(app));
    await this.press(t("apps:connect.action"));
    await (await this.session.byCss("[role=dialog] footer button:last-child:enabled")).click();
  }
}

/** A person without a pointer. */
class ByKeyboard extends Keys {
  async pressHere(name) {
    await this.tabTo(name);
    await this.press(Key.Enter);
  }

  focusIn(selector) {
    const isIn = () => this.session.execute("return document.activeElement.closest(arguments[0]) !== null", selector);
    return until(isIn, `the focus in ${selector}`);
  }

  showMe() {
    return this.pressHere(t("common:firstSteps.show"));
  }

  async call(text) {
    await this.focusIn("[data-field]");
    await this.type(text);
    await this.run();
  }

  run() {
    return this.press(Key.Control, Key.Enter);
  }

  async answer(text) {
    await this.session.byCss(QUESTION, { timeout: LONGEST_START });
    await this.press("a");
    await this.focusIn(`${QUESTION} :is(input, textarea)`);
    await this.type(text);
    await this.press(Key.Control, Key.Enter);
    await this.session.shows(t("inbox:review.exact"));
    await this.focusIn("[data-step]");
    await this.session.byCss("button[data-armed=true]");
    await this.press(Key.Control, Key.Enter);
  }

  async addServer() {
    await this.press("n");
    await this.session.byRole("dialog", t("servers:add.title"));
    await this.focusIn("[role=dialog] :is(input, textarea, [contenteditable=true])");
    await this.type(COMMAND);
    await this.press(Key.Control, Key.Enter);
  }

  /** Uses the palette. */
  async find(text, option) {
    await this.press(Key.Control, "k");
    await this.focusIn("[role=combobox]");
    await this.type(text);
    await this.session.byRole("option", option);
    await this.press(Key.Enter);
  }

  async openTool() {
    await this.find(TOOL, startsWith(TOOL));
    await this.focusIn("[data-run]");
  }

  async connect(app) {
    await this.find(app, startsWith(app));
    await this.pressHere(t("apps:connect.action"));
    await this.session.byRole("dialog", t("apps:connect.title").replace("{{name}}", app));
    await this.pressHere(await (await this.session.byCss("[role=dialog] footer button:last-child:enabled")).text());
  }
}

/** From the empty window to an app that has made a call. */
async function firstDay(desktop, hand, home) {
  const { session } = desktop;
  await session.shows(t("apps:takeOver.card.noApp"));
  if (hand instanceof ByKeyboard) await hand.pressHere(t("servers:welcome.demo.title"));
  else await hand.press(t("servers:welcome.demo.title"));

  // The tour: a tool, a request, the messages.
  await session.byRole("row", ready("demo"), { timeout: LONGEST_START });
  await hand.showMe();
  await toolIsOpen(session, "echo");
  await hand.call("ahoy");
  await ends(session, "ok");
  await hand.showMe();
  await toolIsOpen(session, "reserve_berth");
  await hand.run();
  await hand.answer("Ada");
  await ends(session, "ok");
  await session.shows("is kept for Ada");
  await hand.showMe();
  await session.byCss(`main[aria-label="${t("activity:place")}"]`);
  await session.shows(t("common:firstSteps.app.text"));

  // The person's own server and its question.
  await hand.addServer();
  await session.byRole("row", ready("everything"), { timeout: LONGEST_START });
  await hand.openTool("everything");
  await toolIsOpen(session, TOOL);
  await hand.run();
  await hand.answer("Ada");
  await ends(session, "ok");
  await session.shows(/Ada/);

  // An app is installed meanwhile. The window finds it when the person comes back. Connecting it ends with tools.
  desktop.lookAt(false);
  await until(() => session.execute("return !document.hasFocus()"), "the window to be left");
  mkdirSync(join(home, ".cursor"));
  desktop.lookAt(true);
  await session.shows(t("common:firstSteps.app.found").replace("{{app}}", "Cursor"));
  const file = join(home, ".cursor/mcp.json");
  await hand.connect("Cursor");
  await session.byRole("dialog", t("apps:lead.title").replace("{{name}}", "Cursor"));
  const { mooring } = JSON.parse(readFileSync(file, "utf8")).mcpServers;
  const app = await DrivenApp.open(desktop, mooring);
  try {
    const listed = (await app.run("tools")).map(({ name }) => name);
    for (const server of ["demo__", "everything__"])
      assert.ok(
        listed.some((name) => name.toLowerCase().startsWith(server)),
        server,
      );
    assert.equal(said(await app.call("everything__echo", { message: "ahoy" })), "Echo: ahoy");
    await session.shows(t("apps:lead.called").replace("{{apps}}", "“Cursor”"));
  } finally {
    await app.close();
  }
}

for (const [name, Hand] of [
  ["mouse", ByMouse],
  ["keyboard", ByKeyboard],
]) {
  test(`from nothing to an app that calls a server of one's own, with the ${name} alone`, async () => {
    const home = mkdtempSync(join(tmpdir(), "mooring-person-"));
    try {
      await withWindow(
        `first-day-${name}`,
        async (desktop) => {
          const began = performance.now();
          await firstDay(desktop, new Hand(desktop.session), home);
          console.log(`from nothing to an app's call by ${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s`);
          await desktop.session.screenshot(join(pictures(), `first-day-${name}.png`));
        },
        { env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config") } },
      );
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });
}
