// Questions in the window: a call that asks, the Inbox, the answer, and the result.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { address, ends, goTo, mooringOk, startDemo, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

/** The program that opens URLs on this desktop. It only logs them, unless it should fail or hang. */
class Opener {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "mooring-opener-"));
    this.log = join(this.directory, "opened");
    this.fault = join(this.directory, "fault");
    this.script = [
      "#!/bin/sh",
      "for last; do :; done",
      `echo "$last" >> '${this.log}-tried'`,
      // Failing takes a moment, like a script that tries several programs. After two seconds it counts as a browser.
      `[ -e '${this.fault}-fails' ] && sleep 0.5 && exit 4`,
      `while [ -e '${this.fault}-hangs' ]; do sleep 0.05; done`,
      `echo "$last" >> '${this.log}'`,
      "",
    ].join("\n");
    for (const name of ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"])
      writeFileSync(join(this.directory, name), this.script, { mode: 0o755 });
  }

  /** From now on it "fails", "hangs" until this changes, or (without an argument) opens URLs. */
  behave(fault) {
    for (const name of ["fails", "hangs"]) {
      if (name === fault) writeFileSync(`${this.fault}-${name}`, "");
      else rmSync(`${this.fault}-${name}`, { force: true });
    }
  }

  get env() {
    return { PATH: `${this.directory}:${process.env.PATH}` };
  }

  opened() {
    return this.#lines(this.log);
  }

  /** All URLs that it got, whatever the outcome. */
  tried() {
    return this.#lines(`${this.log}-tried`);
  }

  #lines(file) {
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  close() {
    this.behave();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Opens a window, with a browser that only logs URLs. */
export function withBrowser(name, work, { env = {}, ...options } = {}) {
  const browser = new Opener();
  return withWindow(name, (desktop) => work(desktop, browser), { ...options, env: { ...browser.env, ...env } }).finally(() =>
    browser.close(),
  );
}

/** Opens a window with the demo server, and a browser that only logs URLs. */
export function withDemo(name, work, options) {
  return withBrowser(
    name,
    async (desktop, browser) => {
      await startDemo(desktop.session);
      await work({ desktop, session: desktop.session, server: serverId(desktop), browser });
    },
    options,
  );
}

/** The id of the first saved server. */
export const serverId = (desktop) => JSON.parse(mooringOk(desktop, "list", "--json")).result[0].id;

/** Opens a tool in the Workbench, fills in these fields and runs it. */
export async function runTool({ session, server }, tool, fields = {}) {
  await address(session, `/workbench?server=${server}&tool=${tool}`);
  await toolIsOpen(session, tool);
  for (const [name, text] of Object.entries(fields)) await typeOver(session, await session.byRole("textbox", name), text);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
}

/** Starts a call of a tool that asks, and opens the Inbox. */
export async function callAndLook(scene, tool, fields) {
  await runTool(scene, tool, fields);
  await goTo(scene.session, "inbox");
}

/** Waits until the server's result of the call contains this text. */
export async function told({ session, server }, tool, text) {
  await address(session, `/workbench?server=${server}&tool=${tool}`);
  await ends(session, "ok");
  await session.shows(text);
}

/** Replaces the text of a field by typing. */
export async function typeOver(session, field, text) {
  let held;
  // A busy page may lose the selection. Then select the text again.
  for (let times = 0; times < 3; times += 1) {
    await field.click();
    await session.press(Key.Control, "a");
    await field.type(text);
    held = await field.property("value");
    // An editor has no value.
    if (held === null || held === text) return;
  }
  throw new Error(`the field holds ${held} instead of ${text}`);
}

/** Presses a button that is enabled immediately. */
export const press = async (session, key) => (await session.byRole("button", startsWith(t(key)))).click();

/** Presses the approving button as soon as it is enabled. */
export async function pressArmed(session, key) {
  const armed = async () => {
    const [button] = await session.allByRole("button", startsWith(t(key)));
    return button && (await session.execute("return arguments[0].dataset.armed === 'true'", button)) ? button : null;
  };
  await (await until(armed, `${t(key)} to count`)).click();
}

/** Waits until there are no more questions. */
export const isEmpty = (session) => session.shows(t("inbox:empty.title"));

/** Edits a text in either review of a sampling request: presses Edit, types, and is done. */
export async function editText(session, label, text) {
  await press(session, "inbox:sampling.edit");
  await typeOver(session, await session.byRole("textbox", label), text);
  await (await session.byRole("button", t("inbox:sampling.editDone"))).click();
}

/** Lets a server use models. The server restarts to learn of it. */
export async function letAskModels(session, name) {
  await goTo(session, "models");
  await (await session.byRole("switch", t("models:servers.switch").replace("{{name}}", name))).click();
  await address(session, "/servers");
  await session.byRole("row", new RegExp(`^${name}.*${t("common:state.ready")}`, "i"), { timeout: 30_000 });
}

/** Creates a rule under Policies that asks about calls of this tool. */
export async function askAbout(session, tool) {
  await address(session, "/policies");
  await press(session, "policies:add");
  const within = { within: await session.byRole("dialog", t("policies:form.new")) };
  await (await session.byRole("radio", t("policies:effect.ask"), within)).click();
  await (await session.byRole("combobox", startsWith(t("policies:form.which")), within)).click();
  await (await session.byRole("option", t("policies:which.pattern"))).click();
  await (await session.byRole("textbox", startsWith(t("policies:form.pattern")), within)).type(tool);
  await (await session.byRole("button", t("policies:form.save"), within)).click();
  await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
}

const HASTE = `
  window.haste = {};
  const hurry = () => {
    const button = document.querySelector("footer button[data-armed=false]");
    if (button) {
      const kind = document.querySelector("main").innerText.match(new RegExp(arguments[0].join("|")))?.[0] ?? "another";
      window.haste[kind] = (window.haste[kind] ?? 0) + 1;
      button.click();
      for (const keys of [{}, { ctrlKey: true }]) for (const target of [button, document.body]) target.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true, ...keys }));
    }
    requestAnimationFrame(hurry);
  };
  hurry();
`;

/** From now on, clicks and presses every approval in each frame in which it is still disabled. */
export const hurry = (session) =>
  session.execute(
    HASTE,
    ["tool", "app", "form", "url", "sampling", "sampling_answer", "roots"].map((kind) => t(`inbox:kicker.${kind}`)),
  );

/** How often each kind of question, by its text, was approved too early. */
export const haste = (session) => session.execute("return window.haste");
