// Notifications: which one a question causes, and that none can answer it.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { askAbout, isEmpty, letAskModels, press, pressArmed, runTool, serverId, told, withDemo } from "./asking.mjs";
import { Notifications } from "./notifications.mjs";
import { address, goTo, mooringOk, withWindow, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
const SERVER = fileURLToPath(new URL("asking-server.mjs", import.meta.url));
/** The parts of every notification that don't depend on the question. */
const OF = { application: "Mooring", replaces: 0, title: "Mooring", actions: ["default", "Mooring"], expires: -1 };

/** The notification without those parts. */
function telling({ icon, hints, ...rest }) {
  assert.deepEqual(
    [icon, Object.keys(hints).filter((name) => !["sender-pid", "desktop-entry", "urgency"].includes(name))],
    ["", []],
    JSON.stringify({ icon, hints }),
  );
  return rest;
}

// Requirements: SEC-03, ELIC-04.
test("each question calls the person once, marks the window, and no answer comes from the notification", async () => {
  await withDemo("attention", async (scene) => {
    const { desktop, session, browser } = scene;
    const notifications = await Notifications.start(desktop);
    try {
      mooringOk(desktop, "roots", "add", desktop.directory);
      await letAskModels(session, "Demo");
      await askAbout(session, "add");
      let count = 0;
      for (const [tool, kind, answer, fields] of [
        ["register_ship", "form", "inbox:answer.decline"],
        ["visit_page", "url", "inbox:answer.decline"],
        ["list_folders", "roots", "inbox:answer.decline"],
        ["add", "tool", "inbox:answer.decline", { a: "2", b: "2" }],
        ["ask_model", "sampling", "inbox:answer.sampling.once"],
        [null, "sampling_answer", "inbox:answer.decline"],
      ]) {
        count += 1;
        if (tool) {
          desktop.lookAt(true);
          await until(() => desktop.windows().every(({ marked }) => !marked), "the window to be unmarked");
          desktop.lookAt(false);
          await runTool(scene, tool, fields);
        }
        const all = await notifications.atLeast(count);
        const body = kind === "tool" ? `Your call to “${tool}” of Demo needs your approval.` : "Demo has a question for you.";
        assert.deepEqual(telling(all.at(-1)), { ...OF, body }, kind);
        await until(() => desktop.windows().every(({ marked }) => marked), `the window to be marked for ${kind}`);
        // Everything in the notification was pressed, and that didn't answer anything.
        await goTo(session, "inbox");
        await session.shows(t(`inbox:kicker.${kind}`));
        assert.equal(notifications.all().length, count, kind);
        assert.deepEqual(browser.opened(), []);
        if (answer === "inbox:answer.decline") await press(session, answer);
        else await pressArmed(session, answer);
        if (kind !== "sampling") await isEmpty(session);
      }
      // A person who looks at the window sees the question there and needs no notification.
      desktop.lookAt(true);
      await runTool(scene, "register_ship");
      await goTo(session, "inbox");
      await session.shows(t("inbox:kicker.form"));
      await press(session, "inbox:answer.decline");
      await isEmpty(session);
      await told(scene, "register_ship", '"decline"');
      assert.equal(notifications.all().length, count);
      assert.ok(desktop.windows().every(({ marked }) => !marked));
    } finally {
      await notifications.stop();
    }
  });
});

// Requirements: SEC-03.
test("a notification has the person's name for the server, without markup, and neither its words nor a secret", async () => {
  await withWindow("attention-words", async (desktop) => {
    const { session } = desktop;
    const notifications = await Notifications.start(desktop);
    try {
      const secret = randomBytes(24).toString("base64url");
      mooringOk(
        desktop,
        "add",
        "Pilot <b>office</b> & co",
        "--era",
        "session",
        "--env",
        `PILOT_KEY=${secret}`,
        "--",
        process.execPath,
        SERVER,
        secret,
      );
      await session.byRole("row", /^Pilot.*Ready/, { timeout: 30_000 });
      const server = serverId(desktop);
      desktop.lookAt(false);
      await runTool({ session, server }, "ask");
      const [only] = await notifications.atLeast(1);
      assert.deepEqual(telling(only), { ...OF, body: "Pilot boffice/b  co has a question for you." });
      await goTo(session, "inbox");
      const page = await session.shows("Say the password.");
      // The window knows each of these texts, and some are on the page. None may be in a notification.
      for (const theirs of ["Say the password.", "Password", "Harbour", "asking", secret])
        assert.ok(!JSON.stringify(only).includes(theirs), theirs);
      assert.ok(page.includes("Password"));
      await address(session, "/servers");
      await session.byRole("row", /^Pilot/);
      assert.equal(notifications.all().length, 1);
    } finally {
      await notifications.stop();
    }
  });
});
