// Questions answered with the keyboard alone in the real window: from the queue to each answer and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { askAbout, haste, hurry, isEmpty, runTool, told, withDemo } from "./asking.mjs";
import { binary } from "./desktop.mjs";
import { Keys } from "./keys.mjs";
import { ends, goTo, mooringOk, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

const shows = (session, key) => session.shows(t(key));

// Requirements: ELIC-05, ELIC-06.
test("with the keyboard alone a person walks the queue and opens, approves, declines, cancels, looks over and goes back", async () => {
  await withDemo("keyboard", async (scene) => {
    const { desktop, session, browser } = scene;
    const keys = new Keys(session);
    mooringOk(desktop, "add", "Second", "--", binary("mooring-demo-server"));
    mooringOk(desktop, "add", "Third", "--", binary("mooring-demo-server"));
    const listed = JSON.parse(mooringOk(desktop, "list", "--json")).result;
    const of = (name) => ({ session, server: listed.find((server) => server.name === name).id });
    await goTo(session, "servers");
    for (const name of ["Second", "Third"])
      await session.byRole("row", new RegExp(`^${name}.*${t("common:state.ready")}`, "i"), { timeout: 30_000 });
    await askAbout(session, "add");
    await runTool(scene, "visit_page");
    await runTool(of("Second"), "register_ship");
    await runTool(of("Third"), "add", { a: "2", b: "2" });
    await session.shows(/3 waiting/);
    await session.execute("document.activeElement.blur()");

    // From here on without a pointer. Every approval is also pressed too early, in each frame in which it is disabled.
    await hurry(session);
    await keys.press("1");
    await shows(session, "inbox:kicker.url");
    const visit = await keys.chosen();
    await keys.press("j");
    await shows(session, "inbox:kicker.form");
    const form = await keys.chosen();
    await keys.press("j");
    await shows(session, "inbox:kicker.tool");
    const tool = await keys.chosen();
    assert.equal(new Set([visit, form, tool]).size, 3);
    await keys.press("j");
    await keys.press("k");
    await until(async () => (await keys.chosen()) === form, "one step back from the last");
    await keys.press("k");
    await keys.press("k");
    await shows(session, "inbox:kicker.url");
    assert.equal(await keys.chosen(), visit);
    // The rows of the queue can be reached and chosen like buttons, and then keep the focus.
    await keys.tabTo("Fill in a form");
    await keys.press(Key.Enter);
    await shows(session, "inbox:kicker.form");
    await keys.press("k");
    await until(async () => (await keys.focused()).startsWith("Open"), "the focus on the row above");
    await shows(session, "inbox:kicker.url");

    // Its shortcut does nothing within the first second, and Enter never does.
    await keys.armed();
    assert.deepEqual(browser.tried(), []);
    await keys.press(Key.Enter);
    await keys.press(Key.Escape);
    await keys.tabTo(t("inbox:answer.open"));
    await keys.press(Key.Enter);
    assert.deepEqual(browser.tried(), []);
    await keys.armed();
    await keys.press(Key.Control, Key.Enter);
    await until(() => browser.opened().length === 1, "the address to be open");
    await shows(session, "inbox:url.opensOnce");
    await keys.armed();
    assert.deepEqual(browser.opened().length, 1);
    await keys.press(Key.Control, Key.Enter);

    // After an answer the next question opens. A form is filled in, reviewed, corrected and sent.
    await shows(session, "inbox:kicker.form");
    assert.equal(await keys.chosen(), form);
    await keys.tabTo("Name");
    await keys.type("Ada");
    // In a text field it deletes a word instead of declining.
    await keys.press(Key.Control, Key.Backspace);
    await shows(session, "inbox:kicker.form");
    await keys.press(Key.Control, "a");
    await keys.type("Eva");
    await keys.press(Key.Control, Key.Enter);
    await shows(session, "inbox:review.exact");
    await session.shows("Eva");
    await keys.tabTo(t("inbox:answer.back"));
    await keys.press(Key.Enter);
    await shows(session, "inbox:form.answers");
    await keys.tabTo("Name");
    await keys.press(Key.Control, "a");
    await keys.type("Ida");
    await keys.press(Key.Control, Key.Enter);
    await session.shows("Ida");
    await keys.armed();
    await shows(session, "inbox:review.exact");
    await keys.tabTo(t("inbox:answer.send"));
    await keys.press(Key.Enter);
    await shows(session, "inbox:review.exact");
    await keys.armed();
    await keys.press(Key.Control, Key.Enter);

    // The shortcut declines, and the button cancels.
    await shows(session, "inbox:kicker.tool");
    assert.equal(await keys.chosen(), tool);
    await keys.press(Key.Control, Key.Backspace);
    await isEmpty(session);
    await runTool(scene, "register_ship");
    await session.execute("document.activeElement.blur()");
    await keys.press("i");
    await shows(session, "inbox:kicker.form");
    await keys.tabTo(t("common:cancel"));
    await keys.press(Key.Space);
    await isEmpty(session);

    await told(scene, "register_ship", '"cancel"');
    await told(scene, "visit_page", '"accept"');
    await told(of("Second"), "register_ship", "Ida");
    await runTool(of("Third"), "add", { a: "3", b: "4" });
    await session.execute("document.activeElement.blur()");
    await keys.press("i");
    await shows(session, "inbox:kicker.tool");
    await keys.armed();
    await keys.press(Key.Control, Key.Enter);
    await isEmpty(session);
    const early = await haste(session);
    for (const kind of ["url", "form", "tool"]) assert.ok(early[t(`inbox:kicker.${kind}`)] > 0, `${kind} in ${JSON.stringify(early)}`);
    await goTo(session, "workbench");
    await ends(session, "ok");
    await session.shows("7");
  });
});
