// Names in lists in the real window: they keep their room at every width and zoom. Columns disappear instead.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { askAbout, withDemo } from "./asking.mjs";
import { pictures } from "./desktop.mjs";
import { narrowNames, shownLists } from "./lists.mjs";
import { address, ends, mooringOk, startsWith, toolIsOpen, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
/** The tested widths of the window (px). */
const WIDTHS = [900, 1000, 1100, 1180, 1280, 1600];
/** The tested widths with zoom. A zoomed page is as wide as that of a narrower window. */
const ZOOMED_WIDTHS = [900, 1100, 1280];
const HEIGHT = 800;
/** All zoom levels (%), smallest first: `zooms` in ui/src/lib/zoom.ts. */
const ZOOMS = [80, 90, 100, 110, 120, 130, 140, 150, 175, 200];
const USUAL = 100;
/** Larger than the widest window. */
const SCREEN = { width: 1700, height: 950 };
const LONG = "the-harbour-master-of-the-old-town-with-a-very-long-name";
const SECRET = "THE_KEY_OF_THE_HARBOUR_MASTER_OF_THE_OLD_TOWN";
/** How much the page's width may differ, because zoom rounds px. */
const TOLERANCE = 3;

/** The places of lists, and the selector of a name in each. */
const lists = (demo) => ({
  servers: ["/servers", "main [role=grid] [data-name-cell]"],
  "server-details": [`/servers?id=${demo}&tab=overview`, "main [role=grid] [data-name-cell]"],
  tools: [`/servers?id=${demo}&tab=tools`, "[data-theirs] [data-name-cell]"],
  trust: [`/servers?id=${demo}&tab=trust`, "main [data-name-cell], [role=dialog] [data-name-cell]"],
  apps: ["/apps", "main [role=grid] [data-name-cell]"],
  secrets: ["/accounts?view=secrets", "main table [data-name-cell]"],
  activity: ["/activity", "main [role=grid] [data-name-cell]"],
  inbox: ["/inbox", "main button [data-name-cell]"],
  decisions: ["/inbox/decisions", "main [role=listbox] [data-name-cell]"],
  models: ["/models", "main li [data-name-cell]"],
  policies: ["/policies", "main li [data-name-cell]"],
  settings: ["/settings", "main [data-setting] [data-name-cell]"],
  workbench: [`/workbench?server=${demo}&tool=echo`, null],
});

/** Makes the page as wide as in a window of this width with this zoom. */
async function resize(session, width, zoom) {
  await session.resize(width, HEIGHT);
  await until(
    async () => Math.abs((await session.execute("return innerWidth")) - (width * 100) / zoom) <= TOLERANCE,
    `a page of a window of ${width} px at ${zoom}%`,
  );
  await session.settled();
}

/** Zooms by one step, and waits for the new zoom. */
async function step(session, key, zoom) {
  await session.press(Key.Control, key);
  await resize(session, 1280, zoom);
}

/** Starts a call of a tool that asks, and waits for its question. */
async function askBack({ session, server }) {
  await address(session, `/workbench?server=${server}&tool=register_ship`);
  await toolIsOpen(session, "register_ship");
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await address(session, "/inbox");
  await session.shows(t("inbox:kicker.form"));
}

/** Saves a server with a long name and a secret, which needs a vault. */
function addLongNames(desktop) {
  const file = (name, text) => {
    const path = join(desktop.directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const passphrase = file("passphrase", "correct horse battery");
  mooringOk(desktop, "vault", "rekey", "--to", "passphrase", "--passphrase-file", passphrase);
  desktop.env.MOORING_PASSPHRASE_FILE = passphrase;
  mooringOk(desktop, "add", LONG, "--secret-env", `${SECRET}=@${file("secret", "a value")}`, "--", "no-such-program-anywhere");
  delete desktop.env.MOORING_PASSPHRASE_FILE;
}

test("names in lists have 160 px at every width and zoom", () =>
  withDemo(
    "lists",
    async (scene) => {
      const { desktop, session, server } = scene;
      // One question is answered, and another one waits.
      await askBack(scene);
      await (await session.byRole("button", startsWith(t("inbox:answer.decline")))).click();
      await session.shows(t("inbox:empty.title"));
      await address(session, `/workbench?server=${server}&tool=register_ship`);
      await ends(session, "ok");
      await askAbout(session, "echo");
      await askBack(scene);
      addLongNames(desktop);
      await address(session, "/servers");
      await session.byRole("row", new RegExp(`^${LONG}`), { timeout: 30_000 });

      const wrong = [];
      for (const zoom of ZOOMS.filter((zoom) => zoom < USUAL).toReversed()) await step(session, "-", zoom);
      for (const zoom of ZOOMS) {
        if (zoom !== ZOOMS[0]) await step(session, "=", zoom);
        for (const [name, [place, there]] of Object.entries(lists(server))) {
          await address(session, place);
          for (const width of zoom === USUAL ? WIDTHS : ZOOMED_WIDTHS) {
            await resize(session, width, zoom);
            if (there !== null) await session.byCss(there);
            const shown = await shownLists(session);
            for (const fault of narrowNames(shown)) wrong.push(`${name} at ${width} px and ${zoom}%: ${fault}`);
            const spill = await session.execute("return document.documentElement.scrollWidth - innerWidth");
            // Zoom rounds fractions of a px.
            if (spill > 1) wrong.push(`${name} at ${width} px and ${zoom}%: ${spill} px wider than the window`);
            if (width === 1100 && zoom === 130) await session.screenshot(join(pictures(), `lists-${name}-1100-130.png`));
          }
        }
      }
      assert.deepEqual(wrong, []);
    },
    { screen: SCREEN },
  ));
