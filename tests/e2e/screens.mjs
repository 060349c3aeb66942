// Every screen in both themes, both languages and two sizes: a picture and axe-core's findings.

import assert from "node:assert/strict";
import { join } from "node:path";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { address, mooringOk, startsWith, wear, withWindow, words } from "./person.mjs";
import { screens } from "./pictures/catalogue.mjs";
import { Key } from "./webdriver.mjs";

/** Scenes are opened in the last size. */
const SIZES = [
  [900, 600],
  [1280, 800],
];

async function look(session, language) {
  // The window first opens its landing page, which would replace an earlier address.
  await session.byCss("main[aria-label]");
  await address(session, "/settings");
  const shown = async () => (await session.execute("return document.documentElement.lang")) || "en";
  let t = words((await shown()).startsWith("zh") ? "zh-CN" : "en");
  for (const theme of ["dark", "light"]) {
    await (await session.byRole("radio", t(`settings:appearance.theme.${theme}`))).click();
    await session.byCss(`html[data-theme="${theme}"]`);
  }
  const name = language === "en" ? "English" : "简体中文";
  await (await session.byRole("combobox", startsWith(t("settings:appearance.language.label")))).click();
  await (await session.byRole("option", name)).click();
  t = words(language);
  await session.shows(t("settings:appearance.title"));
  return t;
}

/** Takes the pictures of a scene in both themes. Returns its problems. */
async function show(session, name, language) {
  const wrong = [];
  const picture = async (theme, [width, height]) => {
    await wear(session, theme);
    await session.screenshot(join(pictures(), `${name}-${theme}-${language}-${width}x${height}.png`));
  };
  const violations = async (theme, options) => wrong.push(...(await violationsOf(session, `${name}-${theme}-${language}`, options)));
  for (const size of SIZES) {
    const [width, height] = size;
    await session.resize(width, height);
    await picture("dark", size);
    const spill = await session.execute("return document.documentElement.scrollWidth - innerWidth");
    if (spill > 0) wrong.push(`${name}-${language}: ${spill} px wider than a window of ${width}`);
    // The other theme only differs in its colours.
    if (size === SIZES.at(-1)) await violations("dark", { colours: true });
    await picture("light", size);
  }
  await violations("light");
  return wrong;
}

/** Checks every scene in one language. */
export function everyScreen(language) {
  return withWindow(`screens-${language}`, async (desktop) => {
    const { session } = desktop;
    const scenes = (await screens()).flatMap(({ inWindow }) => Object.entries(inWindow));
    const t = await look(session, language);
    await address(session, "/servers");
    await session.shows(t("servers:welcome.title"));
    const wrong = await show(session, "empty", language);
    await (await session.byRole("button", startsWith(t("servers:welcome.demo.title")))).click();
    await session.byRole("row", new RegExp(`^demo.*${t("common:state.ready")}`, "i"), { timeout: 30_000 });
    mooringOk(desktop, "add", "charts", "--", "no-such-program-anywhere");
    mooringOk(desktop, "add", "天气", "--url", "http://127.0.0.1:9/mcp");
    const listed = JSON.parse(mooringOk(desktop, "list", "--json")).result;
    const id = (name) => listed.find((server) => server.name.toLowerCase().startsWith(name)).id;
    await session.byRole("row", new RegExp(`^charts.*${t("common:state.failed")}`, "i"), { timeout: 30_000 });
    for (const [name, bring] of scenes) {
      const tidy = await bring({ desktop, session, t, demo: id("demo"), failed: id("charts") });
      wrong.push(...(await show(session, name, language)));
      await tidy?.();
      await session.press(Key.Escape);
    }
    assert.deepEqual(wrong, []);
  });
}
