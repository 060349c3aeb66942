// Being asked, in the window: a call that asks back, the Inbox, the answer, and what became of it.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { address, ends, goTo, mooringOk, startDemo, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

/** What opens addresses on this desktop: it only writes them down, unless it is told to fail or to hang. */
class Opener {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "mooring-opener-"));
    this.log = join(this.directory, "opened");
    this.fault = join(this.directory, "fault");
    this.script = [
      "#!/bin/sh",
      "for last; do :; done",
      `echo "$last" >> '${this.log}-tried'`,
      // What fails takes its time, as a script does that asks several others; what runs for two seconds counts as a browser.
      `[ -e '${this.fault}-fails' ] && sleep 0.5 && exit 4`,
      `while [ -e '${this.fault}-hangs' ]; do sleep 0.05; done`,
      `echo "$last" >> '${this.log}'`,
      "",
    ].join("\n");
    for (const name of ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"])
      writeFileSync(join(this.directory, name), this.script, { mode: 0o755 });
  }

  /** From now on it "fails", "hangs" for as long as that holds, or (nothing) opens. */
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

  /** What it was given, whatever became of it. */
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

/** A window, and a browser that only writes down what it is given. */
export function withBrowser(name, work, { env = {}, ...options } = {}) {
  const browser = new Opener();
  return withWindow(name, (desktop) => work(desktop, browser), { ...options, env: { ...browser.env, ...env } }).finally(() =>
    browser.close(),
  );
}

/** The same, with the demo server. */
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

/** The id of the first of the saved servers. */
export const serverId = (desktop) => JSON.parse(mooringOk(desktop, "list", "--json")).result[0].id;

/** Opens a tool in the Workbench, fills in these of its fields and runs it. */
export async function runTool({ session, server }, tool, fields = {}) {
  await address(session, `/workbench?server=${server}&tool=${tool}`);
  await toolIsOpen(session, tool);
  for (const [name, text] of Object.entries(fields)) await typeOver(session, await session.byRole("textbox", name), text);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
}

/** Begins a call of a tool that asks back, and goes to the Inbox. */
export async function callAndLook(scene, tool, fields) {
  await runTool(scene, tool, fields);
  await goTo(scene.session, "inbox");
}

/** What the call said in the end, as the server tells it. */
export async function told({ session, server }, tool, text) {
  await address(session, `/workbench?server=${server}&tool=${tool}`);
  await ends(session, "ok");
  await session.shows(text);
}

/** Types into a field in place of what it holds, as a person does. */
export async function typeOver(session, field, text) {
  let held;
  // What is marked may be let go of again by a page that is busy: then it is marked once more.
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

/** Presses a button of the screens that counts at once. */
export const press = async (session, key) => (await session.byRole("button", startsWith(t(key)))).click();

/** Presses the button that approves, as soon as it can be pressed. */
export async function pressArmed(session, key) {
  const armed = async () => {
    const [button] = await session.allByRole("button", startsWith(t(key)));
    return button && (await session.execute("return arguments[0].dataset.armed === 'true'", button)) ? button : null;
  };
  await (await until(armed, `${t(key)} to count`)).click();
}

/** Waits until nothing is asked any more. */
export const isEmpty = (session) => session.shows(t("inbox:empty.title"));

/** Changes a text of what is asked, at either look at a model's words: presses Edit, types, and is done. */
export async function editText(session, label, text) {
  await press(session, "inbox:sampling.edit");
  await typeOver(session, await session.byRole("textbox", label), text);
  await (await session.byRole("button", t("inbox:sampling.editDone"))).click();
}

/** Lets a server ask models. It starts anew, so that it learns of that. */
export async function letAskModels(session, name) {
  await goTo(session, "models");
  await (await session.byRole("switch", t("models:servers.switch").replace("{{name}}", name))).click();
  await address(session, "/servers");
  await session.byRole("row", new RegExp(`^${name}.*${t("common:state.ready")}`, "i"), { timeout: 30_000 });
}

/** Makes a rule under Policies: calls of this tool are asked about. */
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

/** From now on clicks and presses the approval of whatever is asked, in every frame in which it does not count yet. */
export const hurry = (session) =>
  session.execute(
    HASTE,
    ["tool", "app", "form", "url", "sampling", "sampling_answer", "roots"].map((kind) => t(`inbox:kicker.${kind}`)),
  );

/** How often each kind of question, by its words on the screen, was approved too early. */
export const haste = (session) => session.execute("return window.haste");
