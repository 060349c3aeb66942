// What servers ask the person, in the real window: forms, addresses, folders, and what becomes of each answer.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { address, ends, goTo, mooringOk, startDemo, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

/** What opens addresses on this desktop: it only writes them down. */
class Opener {
  constructor() {
    this.directory = mkdtempSync(join(tmpdir(), "mooring-opener-"));
    this.log = join(this.directory, "opened");
    for (const name of ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"]) {
      writeFileSync(join(this.directory, name), `#!/bin/sh\nfor last; do :; done\necho "$last" >> '${this.log}'\n`, { mode: 0o755 });
    }
  }

  get env() {
    return { PATH: `${this.directory}:${process.env.PATH}` };
  }

  opened() {
    return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").filter(Boolean) : [];
  }

  close() {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A window with the demo server, and a browser that only writes down what it is given. */
function withDemo(name, work) {
  const browser = new Opener();
  return withWindow(
    name,
    async (desktop) => {
      await startDemo(desktop.session);
      const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result[0];
      await work({ desktop, session: desktop.session, demo: id, browser });
    },
    { env: browser.env },
  ).finally(() => browser.close());
}

/** Begins a call of a tool that asks back, and goes to the Inbox. */
async function callAndLook({ session, demo }, tool) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await toolIsOpen(session, tool);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await goTo(session, "inbox");
}

/** What the call said in the end, as the server tells it: its answer as JSON text. */
async function told({ session, demo }, tool, text) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await ends(session, "ok");
  await session.shows(text);
}

const press = async (session, key) => (await session.byRole("button", startsWith(t(key)))).click();

/** The button that approves, as soon as it can be pressed. */
async function pressArmed(session, key) {
  const armed = async () => {
    const [button] = await session.allByRole("button", startsWith(t(key)));
    return button && (await session.execute("return arguments[0].dataset.armed === 'true'", button)) ? button : null;
  };
  await (await until(armed, `${t(key)} to count`)).click();
}

const isEmpty = (session) => session.shows(t("inbox:empty.title"));

test("a form with every kind of field is filled in, looked over and sent, declined and cancelled", async () => {
  await withDemo("form", async (scene) => {
    const { session } = scene;
    await callAndLook(scene, "register_ship");
    await session.shows("The harbour master needs her papers.");
    assert.deepEqual(await violationsOf(session), []);
    const name = await session.byRole("textbox", startsWith("Name"));
    await name.click();
    await session.press(Key.Control, "a");
    await name.type("Ada");
    const field = await session.byRole("spinbutton", startsWith("Crew")).catch(() => session.byRole("textbox", startsWith("Crew")));
    for (const crew of ["61", "3"]) {
      await field.click();
      await session.press(Key.Control, "a");
      await field.type(crew);
      await session.press(Key.Tab);
      const mistake = t("inbox:mistake.maximum").replace("{{limit}}", "60");
      await until(async () => (await session.pageText()).includes(mistake) === (crew === "61"), `the verdict on ${crew}`);
    }
    await session.screenshot(join(pictures(), "inbox-form.png"));
    await press(session, "inbox:answer.review");
    await session.shows(t("inbox:review.exact"));
    await session.screenshot(join(pictures(), "inbox-form-review.png"));
    await pressArmed(session, "inbox:answer.send");
    await isEmpty(session);
    await told(scene, "register_ship", '"accept"');
    await session.shows("Ada");

    await callAndLook(scene, "register_ship");
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    await told(scene, "register_ship", '"decline"');

    await callAndLook(scene, "register_ship");
    await press(session, "common:cancel");
    await isEmpty(session);
    await told(scene, "register_ship", '"cancel"');
    await goTo(session, "inbox");
    for (const outcome of ["accepted", "declined", "cancelled"]) await session.shows(t(`inbox:outcome.${outcome}`));
    await session.screenshot(join(pictures(), "inbox-empty.png"));
  });
});

test("nothing that is pressed within the first second approves, and Enter never does", async () => {
  await withDemo("armed", async (scene) => {
    const { session, browser } = scene;
    await callAndLook(scene, "visit_page");
    await session.byRole("button", startsWith(t("inbox:answer.open")));
    const yes = "document.querySelector('button[data-armed]')";
    const first = Date.now();
    while (Date.now() - first < 600) {
      await session.execute(`${yes}.click(); ${yes}.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))`);
      await session.press(Key.Enter);
    }
    assert.deepEqual(browser.opened(), []);
    await session.screenshot(join(pictures(), "inbox-url.png"));
    const armed = () => session.execute(`return ${yes}.dataset.armed === "true"`);
    await until(armed, "the button to count");
    await session.press(Key.Enter);
    await session.press(Key.Escape);
    assert.deepEqual(browser.opened(), []);
    await pressArmed(session, "inbox:answer.open");
    await until(() => browser.opened().length === 1, "the browser to be given the address");
    assert.deepEqual(browser.opened(), ["https://example.org/tides?harbour=demo"]);
    // It stays in sight until the server, or the person, says that it is done.
    await session.shows(t("inbox:url.opensOnce"));
    await session.screenshot(join(pictures(), "inbox-url-opened.png"));
    await pressArmed(session, "inbox:answer.isDone");
    await isEmpty(session);
    assert.equal(browser.opened().length, 1);
    await told(scene, "visit_page", '"accept"');
  });
});

test("folders are granted to a running server, taken back, and shared only after a yes", async () => {
  const place = mkdtempSync(join(tmpdir(), "mooring-roots-"));
  const [own, common] = ["own", "common"].map((name) => join(place, name));
  for (const folder of [own, common]) mkdirSync(folder);
  try {
    await withDemo("roots", async (scene) => {
      const { desktop, session, demo } = scene;
      await address(session, `/servers?id=${demo}&tab=roots`);
      await session.shows(t("servers:inspector.roots"));
      await session.screenshot(join(pictures(), "roots-empty.png"));
      mooringOk(desktop, "roots", "add", own, "--server", "Demo");
      mooringOk(desktop, "roots", "add", common);
      await callAndLook(scene, "list_folders");
      await session.shows(common);
      await session.screenshot(join(pictures(), "inbox-roots.png"));
      await press(session, "inbox:answer.decline");
      await isEmpty(session);
      await told(scene, "list_folders", "own");
      await callAndLook(scene, "list_folders");
      await (await session.byRole("radio", startsWith(t("inbox:remember.scope.always")))).click();
      await pressArmed(session, "inbox:answer.roots.always");
      await isEmpty(session);
      await told(scene, "list_folders", "common");
      await address(session, `/servers?id=${demo}&tab=roots`);
      await session.shows(own);
      await session.screenshot(join(pictures(), "roots.png"));
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test("a rule of the person's makes a call wait: allowed once, declined, cancelled, and remembered until it is forgotten", async () => {
  await withDemo("consent", async (scene) => {
    const { desktop, session, demo } = scene;
    await address(session, "/settings?section=policies");
    await press(session, "policies:add");
    const dialog = await session.byRole("dialog", t("policies:form.new"));
    const within = { within: dialog };
    await (await session.byRole("radio", t("policies:effect.ask"), within)).click();
    await (await session.byRole("textbox", startsWith(t("policies:form.tool")), within)).type("add");
    await (await session.byRole("button", t("policies:form.save"), within)).click();
    await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
    await session.screenshot(join(pictures(), "policies.png"));

    const runAdd = async () => {
      await address(session, `/workbench?server=${demo}&tool=add`);
      await toolIsOpen(session, "add");
      for (const name of ["a", "b"]) {
        const field = await session.byRole("textbox", name);
        await field.click();
        await session.press(Key.Control, "a");
        await field.type("2");
      }
      await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
    };
    const asked = async () => {
      await runAdd();
      await goTo(session, "inbox");
      await session.shows(t("inbox:kicker.tool"));
    };
    await asked();
    await session.screenshot(join(pictures(), "inbox-tool.png"));
    assert.deepEqual(await violationsOf(session), []);
    await pressArmed(session, "inbox:answer.tool.once");
    await isEmpty(session);
    await told(scene, "add", "4");
    for (const key of ["inbox:answer.decline", "inbox:answer.cancelCall"]) {
      await asked();
      await press(session, key);
      await isEmpty(session);
    }
    await asked();
    await (await session.byRole("radio", t("inbox:remember.scope.session"))).click();
    await pressArmed(session, "inbox:answer.tool.session");
    await isEmpty(session);
    await runAdd();
    await ends(session, "ok");
    // Whatever was decided is in the log, and nothing ran that was not allowed.
    const rows = JSON.parse(mooringOk(desktop, "logs", "--json", "--limit", "1000")).result;
    const calls = rows.filter((row) => row.method === "tools/call" && row.direction === "out" && row.subject === "add");
    assert.equal(calls.length, 3);
    const verdicts = rows.filter((row) => row.kind === "verdict" && row.subject === "add");
    assert.ok(verdicts.length >= 5, `${verdicts.length} verdicts`);
  });
});

test("what a model is asked, and what it answers, is edited before it goes on", async () => {
  await withDemo("sampling", async (scene) => {
    const { session, demo } = scene;
    await goTo(session, "models");
    await session.screenshot(join(pictures(), "models.png"));
    await (await session.byRole("switch", t("models:servers.switch").replace("{{name}}", "Demo"))).click();
    await address(session, "/servers");
    await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
    await callAndLook(scene, "ask_model");
    await session.shows("When is high water?");
    assert.deepEqual(await violationsOf(session), []);
    await session.screenshot(join(pictures(), "inbox-sampling.png"));
    const edit = async (label, text) => {
      await (await session.byRole("button", t("inbox:sampling.edit"))).click();
      const field = await session.byRole("textbox", label);
      await field.click();
      await session.press(Key.Control, "a");
      await field.type(text);
      await (await session.byRole("button", t("inbox:sampling.editDone"))).click();
    };
    await edit(startsWith(t("inbox:sampling.role.user")), "Where is low water?");
    await pressArmed(session, "inbox:answer.sampling.once");
    await session.shows(t("inbox:kicker.sampling_answer"));
    await session.shows("Where is low water?");
    await session.screenshot(join(pictures(), "inbox-sampling-answer.png"));
    const editAnswer = await session.byRole("button", t("inbox:sampling.edit"));
    await until(async () => !(await editAnswer.property("disabled")), "the model to end");
    await edit(startsWith(t("inbox:sampling.answer")), "At noon, says the pilot.");
    await pressArmed(session, "inbox:answer.handOver");
    await isEmpty(session);
    await told(scene, "ask_model", "At noon, says the pilot.");
    await callAndLook(scene, "ask_model");
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    await address(session, `/workbench?server=${demo}&tool=ask_model`);
    await session.shows(t("workbench:outcome.failed.refused.title"));
  });
});
