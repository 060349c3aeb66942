// The person's work in the Workbench persists in the real window: saved calls, favourites, and the history.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { ends, goTo, openTab, openTool, run, startDemo, withWindow } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const WORDS = "words that stay";

/** The texts of the tree's rows. */
const rows = (session) => session.execute("return [...document.querySelectorAll('[role=treeitem]')].map((row) => row.innerText)");

test("history, saved call and favourite are there after a restart", () =>
  withWindow("work-stays", async (desktop) => {
    let { session } = desktop;
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "echo");
    await (await session.byRole("textbox", "text")).fill(WORDS);
    await run(session);
    await (await session.byRole("button", "Save call…")).click();
    await session.byRole("dialog", "Save call…");
    await (await session.byRole("textbox", "Name")).fill("Greeting");
    await (await session.byRole("button", "Save")).click();
    await session.byRole("treeitem", /Greeting/);
    await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
    await (await session.byRole("button", "Favourite")).click();
    await session.shows("Favourites");
    await session.screenshot(join(pictures(), "work-stays-saved.png"));
    assert.deepEqual(await violationsOf(session, "saved call"), []);

    await desktop.restart();
    session = desktop.session;
    await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
    await goTo(session, "workbench");
    const item = await session.byRole("treeitem", /^echo · /);
    const shown = await rows(session);
    assert.ok(shown[0].startsWith("Favourites"), shown.join("\n"));
    assert.ok(shown[2].startsWith("Saved calls"), shown.join("\n"));

    // The earlier call, with its arguments and result.
    await item.click();
    await openTab(session, "History");
    const past = await session.byRole("button", new RegExp(`you \\(Workbench\\).*${WORDS}`, "is"));
    await session.screenshot(join(pictures(), "work-stays-history.png"));
    assert.deepEqual(await violationsOf(session, "history"), []);
    await past.click();
    await session.shows(/From Activity/);
    await session.shows(WORDS);

    // From the palette, on any screen.
    await goTo(session, "settings");
    await session.press(Key.Control, "k");
    await (await session.byRole("combobox", "Search or run")).type("run: greeting");
    await session.byRole("option", /^Run: Greeting/);
    await session.press(Key.Enter);
    await ends(session, "ok");
    await openTab(session, "History");
    const calls = () => session.execute("return document.querySelectorAll('main ol > li').length");
    await until(async () => (await calls()) === 2, "both calls, each once");
  }));

test("an older result is read back from the log when it is opened again", () =>
  withWindow("read-back", async ({ session }) => {
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "long_text");
    // Together they exceed what the page stores.
    for (const lines of ["100000", "99999"]) {
      await (await session.byRole("textbox", "lines")).fill(lines);
      await run(session);
      await session.shows(/entry +1 /, { timeout: 30_000 });
    }
    await openTab(session, "History");
    await (await session.byRole("button", /100000/)).click();
    await session.shows(/Result from /);
    await session.shows(/100,001 lines/, { timeout: 30_000 });
    await openTab(session, "Raw");
    assert.doesNotMatch(await session.pageText(), /keeps only the newest results/);
    await session.screenshot(join(pictures(), "work-stays-read-back.png"));
  }));
