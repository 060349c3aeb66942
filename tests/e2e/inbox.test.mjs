// Servers' questions to the person in the real window: forms, URLs, folders, and the effect of each answer.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  askAbout,
  callAndLook,
  editText,
  haste,
  hurry,
  isEmpty,
  letAskModels,
  press,
  pressArmed,
  runTool,
  told,
  typeOver,
  withDemo,
} from "./asking.mjs";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { address, ends, goTo, mooringOk, startsWith, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

test("a form with every kind of field is filled in, looked over and sent, declined and cancelled", async () => {
  await withDemo("form", async (scene) => {
    const { session } = scene;
    await hurry(session);
    await callAndLook(scene, "register_ship");
    await session.shows("The harbour master needs her papers.");
    // Titles in the older format, and a field that servers must not ask for.
    await session.shows("Qingdao");
    await session.shows(t("form:field.secret"));
    assert.deepEqual(await violationsOf(session), []);
    await typeOver(session, await session.byRole("textbox", startsWith("Name")), "Ada");
    const field = await session.byRole("textbox", startsWith("Crew"));
    for (const crew of ["61", "3"]) {
      await typeOver(session, field, crew);
      await session.press(Key.Tab);
      const mistake = t("form:problem.maximum").replace("{{limit}}", "60");
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
    const early = await haste(session);
    for (const kind of ["form"]) assert.ok(early[t(`inbox:kicker.${kind}`)] > 0, `${kind} in ${JSON.stringify(early)}`);
    await goTo(session, "inbox");
    for (const outcome of ["accepted.form", "declined", "cancelled"]) await session.shows(t(`inbox:outcome.${outcome}`));
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
    // It stays visible until the server or the person says that it is done.
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
      const { desktop, session, server } = scene;
      await address(session, `/servers?id=${server}&tab=roots`);
      await session.shows(t("servers:inspector.roots"));
      await session.screenshot(join(pictures(), "roots-empty.png"));
      mooringOk(desktop, "roots", "add", own, "--server", "Demo");
      mooringOk(desktop, "roots", "add", common);
      await hurry(session);
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
      // A remembered answer is removed where it was decided, and the server asks again.
      await goTo(session, "inbox");
      await (await session.byRole("button", t("inbox:decisions.forget"))).click();
      await session.shows(t("inbox:decisions.forgotten"));
      await callAndLook(scene, "list_folders");
      await session.shows(common);
      await press(session, "inbox:answer.decline");
      await isEmpty(session);
      await told(scene, "list_folders", "own");
      const early = await haste(session);
      for (const kind of ["roots"]) assert.ok(early[t(`inbox:kicker.${kind}`)] > 0, `${kind} in ${JSON.stringify(early)}`);
      await address(session, `/servers?id=${server}&tab=roots`);
      await session.shows(own);
      await session.screenshot(join(pictures(), "roots.png"));
    });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

test("a rule of the person's makes a call wait: allowed once, declined, cancelled, and remembered until it is forgotten", async () => {
  await withDemo("consent", async (scene) => {
    const { desktop, session, server } = scene;
    await askAbout(session, "add");
    await hurry(session);
    await session.screenshot(join(pictures(), "policies.png"));

    const runAdd = () => runTool(scene, "add", { a: "2", b: "2" });
    // The caller is the person. The server only runs the tool.
    const asked = async () => {
      await runAdd();
      await session.shows(`${t("inbox:waits.title")} ${t("inbox:waits.approve")}`);
      await goTo(session, "inbox");
      const page = await session.shows(t("inbox:kicker.tool"));
      for (const key of ["inbox:who.caller", "common:caller.workbench", "inbox:who.runsOn"]) assert.ok(page.includes(t(key)), key);
      assert.ok(!page.includes(t("inbox:who.server")), "it says that the server asks");
    };
    await asked();
    // The tool is unreviewed, and the approving button says so.
    await session.shows(t("inbox:risk.unreviewed.title"));
    await session.byCss("footer button[data-danger=warn]");
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
    await goTo(session, "inbox");
    await session.shows(t("inbox:calledBy").replace("{{caller}}", t("common:caller.workbench")));
    await runAdd();
    await ends(session, "ok");
    const early = await haste(session);
    for (const kind of ["tool"]) assert.ok(early[t(`inbox:kicker.${kind}`)] > 0, `${kind} in ${JSON.stringify(early)}`);
    // Every decision is in the log, and nothing ran without permission.
    const rows = JSON.parse(mooringOk(desktop, "logs", "--json", "--limit", "1000")).result;
    const calls = rows.filter((row) => row.method === "tools/call" && row.direction === "out" && row.subject === "add");
    assert.equal(calls.length, 3);
    const verdicts = rows.filter((row) => row.kind === "verdict" && row.subject === "add");
    assert.ok(verdicts.length >= 5, `${verdicts.length} verdicts`);
  });
});

test("what a model is asked, and what it answers, is edited before it goes on", async () => {
  await withDemo("sampling", async (scene) => {
    const { session, server } = scene;
    await goTo(session, "models");
    await session.screenshot(join(pictures(), "models.png"));
    await letAskModels(session, "Demo");
    await hurry(session);
    await callAndLook(scene, "ask_model");
    await session.shows("When is high water?");
    assert.deepEqual(await violationsOf(session), []);
    await session.screenshot(join(pictures(), "inbox-sampling.png"));
    await editText(session, startsWith(t("inbox:sampling.role.user")), "Where is low water?");
    await pressArmed(session, "inbox:answer.sampling.once");
    await session.shows(t("inbox:kicker.sampling_answer"));
    await session.shows("Where is low water?");
    await session.screenshot(join(pictures(), "inbox-sampling-answer.png"));
    const editAnswer = await session.byRole("button", t("inbox:sampling.edit"));
    await until(async () => !(await editAnswer.property("disabled")), "the model to end");
    await editText(session, startsWith(t("inbox:sampling.answer")), "At noon, says the pilot.");
    await pressArmed(session, "inbox:answer.handOver");
    await isEmpty(session);
    await told(scene, "ask_model", "At noon, says the pilot.");
    await callAndLook(scene, "ask_model");
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    await address(session, `/workbench?server=${server}&tool=ask_model`);
    await session.shows(t("workbench:outcome.failed.refused.title"));
    const early = await haste(session);
    for (const kind of ["sampling", "sampling_answer"])
      assert.ok(early[t(`inbox:kicker.${kind}`)] > 0, `${kind} in ${JSON.stringify(early)}`);
  });
});
