// Interaction with the window: keys work wherever the focus is, messages disappear automatically and never cover a
// deciding button, and nothing behind a dialog can be reached.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmpty, press, runTool, serverId, typeOver, withDemo } from "./asking.mjs";
import { binary } from "./desktop.mjs";
import { address, goTo, mooringOk, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
/** Longer than any message stays after the last action, even one with a button. */
const MESSAGE_MS = 15_000;

// Runs in the page: the visible messages.
const MESSAGES = "return [...document.querySelectorAll('[data-toasts] li p')].map((message) => message.textContent)";

// Runs in the page: the elements that cover the middle or a corner of an element.
const COVERED = `
const [element] = arguments;
const { left, top, right, bottom } = element.getBoundingClientRect();
const places = [[(left + right) / 2, (top + bottom) / 2], [left + 6, top + 6], [right - 6, top + 6], [left + 6, bottom - 6], [right - 6, bottom - 6]];
return places.map(([x, y]) => document.elementFromPoint(x, y)).filter((met) => !element.contains(met)).map((met) => met?.outerHTML.slice(0, 120) ?? 'nothing');
`;

// Runs in the page: whether the scrollbars in the selected element are visible.
const SCROLLBARS = `
return [...document.querySelectorAll(arguments[0] + ' *')]
  .filter((element) => element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY))
  .map((element) => getComputedStyle(element))
  .map(({ scrollbarWidth, scrollbarColor }) => scrollbarWidth !== 'none' && !/(rgba\\(0, 0, 0, 0\\)|transparent) /.test(scrollbarColor ?? ''));
`;

const messages = (session) => session.execute(MESSAGES);
const noMessages = (session) => until(async () => (await messages(session)).length === 0, "every message to leave", MESSAGE_MS);
const focus = (session, element) => session.execute("arguments[0].focus()", element);
/** Clicks a row, which isn't focusable itself. */
const choose = async (session, row) => (await session.execute("return arguments[0].querySelector('td bdi, td b')", row)).click();
const has = (session, element) => session.execute("return document.activeElement === arguments[0]", element);

// Requirements: ELIC-06.
test("a form is reviewed and a tool is run with the keyboard from every control", async () => {
  await withDemo("keys-everywhere", async (scene) => {
    const { session, server } = scene;
    await runTool(scene, "register_ship");
    await goTo(session, "inbox");
    await session.shows(t("inbox:kicker.form"));
    const controls = [
      ["radio", "ketch"],
      ["checkbox", "B"],
      ["textbox", "Name"],
    ];
    for (const [role, name] of controls) {
      const control = await session.byRole(role, name);
      await focus(session, control);
      assert.ok(await has(session, control), `the focus on ${name}`);
      await session.press(Key.Control, Key.Enter);
      await session.shows(t("inbox:review.exact"));
      await press(session, "inbox:answer.back");
      await session.shows(t("inbox:form.answers"));
    }
    await press(session, "common:cancel");
    await isEmpty(session);

    await address(session, `/workbench?server=${server}&tool=book_berth`);
    await toolIsOpen(session, "book_berth");
    // Enter opens a list. Ctrl Enter runs the tool, which reports what is missing.
    await focus(session, await session.byRole("combobox", startsWith("city")));
    await session.press(Key.Control, Key.Enter);
    await session.byRole("button", t("workbench:problems.anyway"));
    assert.deepEqual(await session.allByRole("listbox"), []);
  });
});

test("messages leave after their time, also after one was closed by its button", async () => {
  await withWindow("messages", async (desktop) => {
    const { session } = desktop;
    mooringOk(desktop, "add", "First", "--", binary("mooring-demo-server"));
    mooringOk(desktop, "add", "Second", "--", binary("mooring-demo-server"));
    const row = await session.byRole("row", /^Second.*Ready/, { timeout: 30_000 });
    await choose(session, row);
    await session.press(Key.Backspace);
    const removed = t("servers:removed").replace("{{name}}", "Second");
    await session.shows(removed);
    await (await session.byRole("button", startsWith(t("common:undo")))).click();
    const back = await session.byRole("row", /^Second/);
    await until(async () => (await back.attribute("aria-selected")) === "true", "the row to be chosen again");
    assert.ok(!(await messages(session)).includes(removed));

    // The pointer is where messages appear.
    const { id } = JSON.parse(mooringOk(desktop, "list", "--json")).result.find(({ name }) => name === "Second");
    await address(session, `/servers?id=${id}&tab=settings`);
    await typeOver(session, await session.byRole("textbox", startsWith(t("servers:form.name.label"))), "Third");
    await session.press(Key.Enter);
    await until(async () => (await messages(session)).length > 0, "the message that it was saved");
    await noMessages(session);
  });
});

test("no message lies on the button that decides", async () => {
  await withWindow("messages-clear", async (desktop) => {
    const { session } = desktop;
    for (const [width, height] of [
      [1280, 800],
      [900, 600],
    ]) {
      await session.resize(width, height);
      if (width === 900) {
        // Its message stays until the next action.
        await choose(session, await session.byRole("row", startsWith("tides-1280")));
        await session.press(Key.Escape);
        await session.press(Key.Backspace);
        await session.shows(t("servers:removed").replace("{{name}}", "tides-1280"));
      }
      await address(session, "/servers?add=import");
      const servers = { [`tides-${width}`]: { command: binary("mooring-demo-server"), env: { API_TOKEN: "sk-live-1234567890abcdef" } } };
      await typeOver(session, await session.byRole("textbox", t("servers:import.editor")), JSON.stringify({ mcpServers: servers }));
      if (width === 1280) {
        await (await session.byRole("button", startsWith(t("sign-in:problem.vault.open")), { timeout: 20_000 })).click();
        const first = await session.byCss("[role=dialog] input[type=password]");
        const [, again] = await session.execute("return [...document.querySelectorAll('[role=dialog] input[type=password]')]");
        for (const field of [first, again]) await typeOver(session, field, "four unrelated words here");
        await session.press(Key.Enter);
        await session.shows(t("vault:opened"));
      }
      assert.notDeepEqual(await messages(session), []);
      const add = await until(async () => {
        const [button] = await session.allByRole("button", startsWith(t("servers:import.submit_one").replace("{{count, number}}", "1")));
        return button && (await button.property("disabled")) === false ? button : null;
      }, "the button that adds");
      await session.settled();
      assert.deepEqual(await session.execute(COVERED, add), []);
      await add.click();
      await session.byRole("row", startsWith(`tides-${width}`));
    }
  });
});

test("the scrollbars of what is behind a dialog are not seen through it", async () => {
  await withWindow("scrollbars", async (desktop) => {
    const { session } = desktop;
    await session.resize(900, 600);
    await address(session, "/settings?section=shortcuts");
    await session.shows(t("common:shortcuts.window.help"));
    const seen = (where) => session.execute(SCROLLBARS, where);
    const before = await seen("#root");
    assert.ok(before.length > 0 && before.every(Boolean), "scrollbars on the page");
    await session.press("?");
    await session.byRole("dialog", t("common:shortcuts.title"));
    assert.deepEqual(
      await seen("#root"),
      before.map(() => false),
    );
    assert.ok((await seen("[role=dialog]")).every(Boolean), "those of the dialog itself");
    await session.press(Key.Escape);
    await until(async () => (await seen("#root")).every(Boolean), "the scrollbars to be back");
  });
});

test("after a choice from a list the keys of the window count at once", async () => {
  await withWindow("keys-after-choice", async (desktop) => {
    const { session } = desktop;
    await address(session, "/settings");
    for (const name of ["English", t("settings:appearance.language.system")]) {
      await (await session.byRole("combobox", startsWith(t("settings:appearance.language.label")))).click();
      await (await session.byRole("option", startsWith(name))).click();
      await until(async () => (await session.allByRole("listbox")).length === 0, "the list to close");
      await session.press("2");
      await session.byCss(`main[aria-label="${t("servers:place")}"]`);
      await session.press("9");
      await session.byCss(`main[aria-label="${t("settings:place")}"]`);
    }
    await (await session.byRole("combobox", startsWith(t("settings:appearance.language.label")))).click();
    await session.press(Key.Escape);
    await until(async () => (await session.allByRole("listbox")).length === 0, "the list to close");
    await session.press("n");
    await session.byRole("dialog", t("servers:add.title"));
  });
});
