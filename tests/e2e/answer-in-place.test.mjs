// A call in the Workbench that waits for an answer: the question replaces the form, or it is in the Inbox and one key
// leads back to the result.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { callAndLook, press, pressArmed, runTool, typeOver, withDemo } from "./asking.mjs";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { ends, startsWith, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const path = (session) => session.execute("return location.hash");

test("a form is answered in place of the tool's own, and the result shows beside it", () =>
  withDemo("answer-in-place", async (scene) => {
    const { session } = scene;
    await runTool(scene, "register_ship");
    // Without a graphics card, drawing the progress marks slows everything down.
    await session.byCss("[data-question-in-place]", { timeout: 30_000 });
    await session.shows("The harbour master needs her papers.");
    assert.deepEqual(await violationsOf(session), []);
    // It doesn't take the focus. Its key moves the focus there.
    const within = () => session.execute('return document.activeElement.closest("[data-question-in-place]") !== null');
    assert.equal(await within(), false);
    await session.execute("document.activeElement.blur()");
    await session.press("a");
    await until(within, "the focus in the question");
    await typeOver(session, await session.byRole("textbox", startsWith("Name")), "Ada");
    await session.screenshot(join(pictures(), "answer-in-place.png"));
    await press(session, "inbox:answer.review");
    await session.shows(t("inbox:review.exact"));
    await pressArmed(session, "inbox:answer.send");
    await ends(session, "ok");
    await session.shows('"accept"');
    assert.ok((await path(session)).startsWith("#/workbench"), "nothing led away");
  }));

test("a form is answered by keys alone, from the palette to the sent answer", () =>
  withDemo("answer-by-keys", async ({ session }) => {
    const focusIn = (selector) => () => session.execute("return document.activeElement.matches(arguments[0])", selector);
    await session.press(Key.Control, "k");
    await session.byRole("combobox");
    for (const letter of "reserve_berth") await session.press(letter);
    await session.byRole("option", /reserve_berth/);
    await session.press(Key.Enter);
    await until(focusIn("[data-run]"), "the focus on Run");
    await session.press(Key.Control, Key.Enter);
    await session.byCss("[data-question-in-place]", { timeout: 30_000 });
    await session.press("a");
    await until(focusIn("[data-question-in-place] textarea, [data-question-in-place] input"), "the focus in the first field");
    for (const letter of "Ada") await session.press(letter);
    await session.press(Key.Control, Key.Enter);
    await session.shows(t("inbox:review.exact"));
    await until(focusIn("[data-step]"), "the focus on what is sent");
    await session.byCss("button[data-armed=true]", { timeout: 30_000 });
    await session.press(Key.Control, Key.Enter);
    await ends(session, "ok");
    await session.shows("is kept for Ada");
    assert.ok((await path(session)).startsWith("#/workbench"), "nothing led away");
  }));

test("after an answer in the Inbox one key leads back to the call", () =>
  withDemo("back-to-call", async (scene) => {
    const { session } = scene;
    await callAndLook(scene, "register_ship");
    await typeOver(session, await session.byRole("textbox", startsWith("Name")), "Ada");
    await press(session, "inbox:answer.review");
    await pressArmed(session, "inbox:answer.send");
    await session.byRole("button", startsWith(t("inbox:back.do")));
    await session.screenshot(join(pictures(), "back-to-call.png"));
    await session.press(Key.Escape);
    await session.press("b");
    await until(async () => (await path(session)).startsWith("#/workbench"), "the Workbench");
    await ends(session, "ok");
    await session.shows('"accept"');
  }));
