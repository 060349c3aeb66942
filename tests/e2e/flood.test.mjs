// Twenty thousand forms at once in the real window: four stay open, and the window remains responsive.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isEmpty, runTool, serverId } from "./asking.mjs";
import { binary, pictures } from "./desktop.mjs";
import { ends, goTo, mooringOk, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const FORMS = 20_000;
const HELD = 4;

/** The memory of the window's process and its page, in MiB. */
function memory(desktop) {
  const held = (name) => {
    const sizes = desktop
      .processes(name)
      .map((pid) => Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))[1]));
    return Math.round(sizes.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024);
  };
  return { own: held("mooring-desktop"), page: held("WebKitWebP") };
}

// Requirements: ELIC-19.
test("of twenty thousand forms at once four are held, and the window answers meanwhile", () =>
  withWindow("flood", async (desktop) => {
    const { session } = desktop;
    // A session server, because there each form is a request of its own.
    mooringOk(desktop, "add", "Demo", "--era", "session", "--json", "--", binary("mooring-demo-server"));
    await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
    const scene = { session, server: serverId(desktop) };
    // Visit the screens first, so that their own memory doesn't count for the flood.
    const PLACES = ["servers", "inbox", "settings", "workbench"];
    for (let round = 0; round < 15; round += 1) for (const place of PLACES) await goTo(session, place);
    const before = memory(desktop);
    await runTool(scene, "ask_at_once", { forms: String(FORMS) });
    let slowest = 0;
    let clicks = 0;
    // Wait until every question and answer is in the log. A click that doesn't change the screen fails the test. How
    // long it takes is a figure, not a test.
    const logged = async () => Number((await session.pageText()).match(/^([\d,]+) events?$/m)[1].replaceAll(",", ""));
    const end = Date.now() + 120_000;
    while ((await logged()) < 2 * FORMS - HELD) {
      assert.ok(Date.now() < end, `${await logged()} events after two minutes`);
      for (const place of PLACES) {
        const start = performance.now();
        await goTo(session, place);
        slowest = Math.max(slowest, performance.now() - start);
        clicks += 1;
      }
    }
    const during = memory(desktop);
    await goTo(session, "inbox");
    await session.shows("4 waiting");
    await session.screenshot(join(pictures(), "inbox-flood.png"));
    for (let left = HELD; left > 0; left -= 1) {
      await session.shows(`${left} waiting`);
      // With the keyboard, because two clicks within half a second count as one decision.
      await session.press(Key.Control, Key.Backspace);
      await until(async () => !(await session.pageText()).includes(`${left} waiting`), `${left} to be answered`);
    }
    await isEmpty(session);
    await session.shows(t("inbox:silenced.title"));
    await goTo(session, "workbench");
    await ends(session, "ok", 60_000);
    await session.shows(new RegExp(`"cancel": ${FORMS - HELD},\\s+"decline": ${HELD}\\b`));
    const after = memory(desktop);
    const figures = ({ own, page }) => `${own} + ${page} MiB`;
    console.log(
      `${FORMS} forms: the slowest of ${clicks} clicks was answered in ${Math.round(slowest)} ms; the window and its page held ${figures(before)} before, ${figures(during)} during, ${figures(after)} after`,
    );
    // The page may need memory for these screens, but neither process may keep the questions.
    assert.ok(after.own - before.own < 50, `the window grew from ${before.own} to ${after.own} MiB`);
    assert.ok(after.page - before.page < 150, `the page grew from ${before.page} to ${after.page} MiB`);
  }));
