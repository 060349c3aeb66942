// URLs that the browser fails to open, in the real window: it fails, it hangs, and the person retries.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { callAndLook, isEmpty, press, pressArmed, told, withDemo } from "./asking.mjs";
import { pictures } from "./desktop.mjs";
import { address, ends, goTo, startsWith, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
const ADDRESS = "https://example.org/tides?harbour=demo";

/** Presses "Open again" as soon as it is enabled, which takes a second each time. */
async function openAgain(session) {
  const ready = async () => {
    const [button] = await session.allByRole("button", startsWith(t("inbox:answer.openAgain")));
    return button && (await button.property("disabled")) === false ? button : null;
  };
  await (await until(ready, "the address to be opened again")).click();
}

// Requirements: ELIC-22, ELIC-27.
test("an address that the browser does not open is opened again when the person says so, and nobody was told that it was open", async () => {
  await withDemo("address-fails", async (scene) => {
    const { session, server, browser } = scene;
    const goesOn = async () => {
      await address(session, `/workbench?server=${server}&tool=visit_page`);
      await ends(session, "waiting");
      await goTo(session, "inbox");
    };
    const problem = t("inbox:url.problem");
    // Each program that may open a URL has two seconds to fail.
    const fails = () => session.shows(problem, { timeout: 30_000 });

    browser.behave("fails");
    await callAndLook(scene, "visit_page");
    await pressArmed(session, "inbox:answer.open");
    await fails();
    await session.shows(/The browser couldn’t be started/i);
    await session.screenshot(join(pictures(), "inbox-url-failed.png"));
    const first = browser.tried().length;
    assert.ok(first > 0);
    await goesOn();
    // It fails once more. It was only retried because the person asked.
    await fails();
    await openAgain(session);
    await until(() => browser.tried().length === 2 * first, "the address to be tried again");
    await fails();
    assert.deepEqual(browser.opened(), []);
    browser.behave();
    await openAgain(session);
    await until(() => browser.opened().length > 0, "the address to be open");
    await session.shows(t("inbox:url.waitingFor"));
    assert.ok(!(await session.pageText()).includes(problem));
    assert.deepEqual(browser.opened(), [ADDRESS]);
    assert.deepEqual([...new Set(browser.tried())], [ADDRESS]);
    await pressArmed(session, "inbox:answer.isDone");
    await isEmpty(session);
    await told(scene, "visit_page", '"accept"');

    // A browser that hangs doesn't block anything: the question stays, the window works, and the person can retry.
    browser.behave("hangs");
    await callAndLook(scene, "visit_page");
    const tried = browser.tried().length;
    await pressArmed(session, "inbox:answer.open");
    await until(() => browser.tried().length === tried + 1, "the browser to be started");
    await session.shows(t("inbox:url.waitingFor"));
    await goesOn();
    await openAgain(session);
    await until(() => browser.tried().length === tried + 2, "the browser to be started again");
    assert.deepEqual(browser.opened(), [ADDRESS]);
    await goesOn();
    browser.behave();
    await until(() => browser.opened().length === 3, "both browsers to open it in the end");
    await pressArmed(session, "inbox:answer.isDone");
    await isEmpty(session);
    await told(scene, "visit_page", '"accept"');

    // Giving up on a hanging browser works at once, and the server gets a notification.
    browser.behave("hangs");
    await callAndLook(scene, "visit_page");
    await pressArmed(session, "inbox:answer.open");
    await session.shows(t("inbox:url.waitingFor"));
    await press(session, "inbox:answer.stopWaiting");
    await isEmpty(session);
    await told(scene, "visit_page", '"cancel"');
    assert.equal(browser.opened().length, 3);
  });
});
