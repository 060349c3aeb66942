// A call in the Workbench that waits for an answer: the question is answered under the call, or in the Inbox and one key
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

test("a form is answered under the call that waits, and the result shows there", () =>
  withDemo("answer-in-place", async (scene) => {
    const { session } = scene;
    await runTool(scene, "register_ship");
    // Without a graphics card the page draws its running marks at the cost of all else.
    await session.byCss("[data-question-in-place]", { timeout: 30_000 });
    await session.shows("The harbour master needs her papers.");
    assert.deepEqual(await violationsOf(session), []);
    // It comes without the focus; its key leads to it.
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
