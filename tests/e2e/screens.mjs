// Every screen in both themes, both languages and two sizes: a picture of each, and axe-core's verdict.

import assert from "node:assert/strict";
import { join } from "node:path";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { address, ends, mooringOk, startsWith, toolIsOpen, wear, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

/** The last is the one in which scenes are brought up. */
const SIZES = [
  [900, 600],
  [1280, 800],
];

/** Opens a tool of the demo server and runs it to its end. */
async function runDemo({ session, demo, t }, tool) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await toolIsOpen(session, tool);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await ends(session, "ok");
}

/** Opens something else that the demo server offers. */
async function openOffer({ session, demo }, kind, name, heading) {
  await address(session, `/workbench?server=${demo}&${kind}=${encodeURIComponent(name)}`);
  await session.byRole("heading", heading);
}

/** Reads or gets what is open, to its end. */
async function ask({ session, t }, kind) {
  await (await session.byRole("button", startsWith(t(`workbench:run.do.${kind}`)))).click();
  await ends(session, "ok");
}

/** Calls a tool that asks back, and brings its question up; gives what takes the question away. */
async function asksBack({ session, demo, t }, tool, kicker, part) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await toolIsOpen(session, tool);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await address(session, "/inbox");
  await session.shows(t(kicker), { timeout: 30_000 });
  await session.shows(t(part));
  // The colours of the button change when it counts.
  await session.byCss("footer button[data-armed=true]");
  return async () => {
    await (await session.byRole("button", startsWith(t("inbox:answer.decline")))).click();
    await session.shows(t("inbox:empty.title"));
  };
}

/**
 * The scenes after the first server is there. Each brings its screen up, says when it stands, and may answer with
 * what has to be done after its pictures.
 */
const SCENES = {
  servers: async ({ session, t }) => {
    await address(session, "/servers");
    await session.byRole("row", /^demo/i);
  },
  "server-details": async ({ session, demo, t }) => {
    await address(session, `/servers?id=${demo}`);
    await session.shows(t("servers:instructions.text"));
  },
  "server-failed": async ({ session, failed, t }) => {
    await address(session, `/servers?id=${failed}`);
    await session.shows("no-such-program-anywhere");
  },
  "server-settings": async ({ session, demo, t }) => {
    await address(session, `/servers?id=${demo}&tab=settings`);
    await session.shows(t("servers:form.command.label"));
  },
  "add-command": async ({ session, t }) => {
    await address(session, "/servers?add=command");
    await session.shows(t("servers:add.title"));
  },
  "add-url": async ({ session, t }) => {
    await address(session, "/servers?add=url");
    await session.byRole("textbox", t("servers:form.url.label"));
  },
  "add-import": async ({ session, t }) => {
    await address(session, "/servers?add=import");
    await session.shows(t("servers:import.hint").slice(0, 12));
  },
  apps: async ({ session, t }) => {
    await address(session, "/apps");
    await session.byRole("button", t("apps:snippet.other"));
  },
  "workbench-form": async ({ session, demo }) => {
    await address(session, `/workbench?server=${demo}&tool=book_berth`);
    await toolIsOpen(session, "book_berth");
    await session.shows("shore_power");
  },
  "workbench-running": async ({ session, demo, t }) => {
    await address(session, `/workbench?server=${demo}&tool=progress`);
    await toolIsOpen(session, "progress");
    await (await session.byRole("textbox", "seconds")).fill("60");
    await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
    const bar = await session.byRole("progressbar");
    await until(async () => Number(await bar.attribute("aria-valuenow")) > 0, "progress");
    return async () => {
      await session.byRole("progressbar"); // it has run all the time
      await (await session.byRole("button", startsWith(t("common:cancel")))).click();
      await ends(session, "cancelled");
    };
  },
  "workbench-image": async (place) => {
    await runDemo(place, "image");
    await until(() => place.session.execute("return document.querySelector('main img')?.naturalWidth > 0"), "the image");
  },
  "workbench-audio": async (place) => {
    await runDemo(place, "audio");
    await place.session.byRole("button", place.t("workbench:audio.play"));
  },
  "workbench-link": async (place) => {
    await runDemo(place, "link");
    await place.session.shows("harbour://guide");
    await place.session.shows(place.t("workbench:result.kind.link"));
  },
  "workbench-structured": async (place) => {
    await runDemo(place, "structured");
    await (await place.session.byRole("tab", startsWith(place.t("workbench:tab.structured")))).click();
    await place.session.shows("青岛");
  },
  "workbench-raw": async (place) => {
    await runDemo(place, "structured");
    await (await place.session.byRole("tab", startsWith(place.t("workbench:tab.raw")))).click();
    await place.session.shows(place.t("workbench:raw.received"));
    await place.session.shows('"structuredContent"');
  },
  "workbench-resource": async (place) => {
    await openOffer(place, "resource", "harbour://guide", "guide");
    await ask(place, "resource");
    await place.session.shows("Before you arrive");
  },
  "workbench-template": async (place) => {
    await openOffer(place, "template", "harbour://berths/{city}", "berths-of-city");
    await (await place.session.byRole("combobox", "city")).fill("Rotterdam");
    await place.session.shows("harbour://berths/Rotterdam");
    await ask(place, "template");
    await place.session.shows("openAtNight");
  },
  "workbench-prompt": async (place) => {
    await openOffer(place, "prompt", "passage_plan", "passage_plan");
    await (await place.session.byRole("combobox", "from")).fill("Rotterdam");
    await (await place.session.byRole("combobox", "to")).fill("青岛");
    await ask(place, "prompt");
    await place.session.shows(place.t("workbench:prompt.role.assistant"));
  },
  "server-resources": async ({ session, demo }) => {
    await address(session, `/servers?id=${demo}&tab=resources`);
    await session.shows("harbour://berths/{city}");
  },
  "server-prompts": async ({ session, demo }) => {
    await address(session, `/servers?id=${demo}&tab=prompts`);
    await session.shows("from to [tone]");
  },
  activity: async ({ session, t }) => {
    await address(session, "/activity");
    await session.byRole("row", new RegExp(`Demo.*${t("activity:say.calls")} structured.*tools/call`));
  },
  "activity-detail": async ({ session, t }) => {
    await address(session, "/activity?method=tools/call");
    // The list stands still once the last call is in it.
    const calls = (tool) => new RegExp(`${t("activity:say.calls")} ${tool}.*tools/call`);
    await session.byRole("row", calls("structured"));
    await session.settled();
    await (await session.byRole("row", calls(""))).click();
    await session.shows(t("activity:detail.raw"));
    await session.shows("jsonrpc");
  },
  "inbox-empty": async ({ session, t }) => {
    await address(session, "/inbox");
    await session.shows(t("inbox:empty.title"));
  },
  "inbox-form": async (place) => asksBack(place, "register_ship", "inbox:kicker.form", "inbox:form.answers"),
  "inbox-url": async (place) => asksBack(place, "visit_page", "inbox:kicker.url", "inbox:url.address"),
  "inbox-folders": async (place) => {
    mooringOk(place.desktop, "roots", "add", place.desktop.directory);
    return asksBack(place, "list_folders", "inbox:kicker.roots", "inbox:remember.title");
  },
  "inbox-model": async (place) => {
    await address(place.session, "/models");
    await (await place.session.byRole("switch", /demo/i)).click();
    await place.session.byCss('[role="switch"][aria-checked="true"]');
    // It starts anew with what it may do now.
    await address(place.session, "/servers");
    await place.session.byRole("row", new RegExp(`^demo.*${place.t("common:state.ready")}`, "i"), { timeout: 30_000 });
    return asksBack(place, "ask_model", "inbox:kicker.sampling", "inbox:fact.maxTokens");
  },
  models: async ({ session, t }) => {
    await address(session, "/models");
    await session.shows(t("models:providers.title"));
  },
  policies: async ({ session, t }) => {
    await address(session, "/policies");
    await session.shows(t("policies:add"));
  },
  "policy-editor": async ({ session, t }) => {
    await address(session, "/policies");
    await (await session.byRole("button", t("policies:add"))).click();
    await session.byRole("dialog", t("policies:form.new"));
    await session.shows(t("policies:sim.title"));
  },
  "server-roots": async ({ session, demo, t }) => {
    await address(session, `/servers?id=${demo}&tab=roots`);
    await session.shows(t("roots:own.title"));
  },
  "server-trust": async ({ session, demo, t }) => {
    await address(session, `/servers?id=${demo}&tab=trust`);
    await session.shows(t("trust:items.title"));
  },
  "policy-read-only": async ({ session, t }) => {
    await address(session, "/policies");
    await (await session.byRole("button", startsWith(t("policies:template.readOnly")))).click();
    await session.byRole("dialog", t("policies:readOnly.title"));
    await session.byRole("combobox", t("policies:form.server"));
  },
  ...Object.fromEntries(
    Object.entries({
      appearance: "settings:appearance.density",
      background: "settings:background.startAtLogin",
      notifications: "settings:notifications.quiet",
      folders: "roots:settings.text",
      limits: "settings:limits.requestIdleSeconds.label",
      log: "settings:limits.maxLogMiB.label",
      programs: "settings:programs.source",
      data: "settings:data.backup",
      sign_in: "settings:signIn.label",
      shortcuts: "common:shortcuts.window.help",
      about: "settings:about.honest",
    }).map(([section, part]) => [
      `settings-${section.replace("_", "-")}`,
      async ({ session, t }) => {
        await address(session, `/settings?section=${section}`);
        await session.shows(t(part));
      },
    ]),
  ),
  "settings-search": async ({ session, t }) => {
    await address(session, "/settings");
    await (await session.byRole("searchbox", t("settings:search"))).fill(t("settings:limits.requestIdleSeconds.label"));
    await session.byRole("textbox", startsWith(t("settings:limits.requestIdleSeconds.label")));
  },
  palette: async ({ session }) => {
    await address(session, "/servers");
    await session.byRole("row", /^demo/i);
    await session.press(Key.Control, "k");
    await session.byRole("combobox");
  },
};

async function look(session, language) {
  // The window first goes to its landing page; an address given before that would be overtaken.
  await session.byCss("main[aria-label]");
  await address(session, "/settings");
  const shown = async () => (await session.execute("return document.documentElement.lang")) || "en";
  let t = words((await shown()).startsWith("zh") ? "zh-CN" : "en");
  for (const theme of ["dark", "light"]) {
    await (await session.byRole("radio", t(`settings:appearance.${theme}`))).click();
    await session.byCss(`html[data-theme="${theme}"]`);
  }
  const name = language === "en" ? "English" : "简体中文";
  await (await session.byRole("combobox", startsWith(t("settings:appearance.language")))).click();
  await (await session.byRole("option", name)).click();
  t = words(language);
  await session.shows(t("settings:appearance.title"));
  return t;
}

/** Takes the pictures of a scene in both themes; returns what is wrong with it. */
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
    // The page is the same but for its colours.
    if (size === SIZES.at(-1)) await violations("dark", { colours: true });
    await picture("light", size);
  }
  await violations("light");
  return wrong;
}

/** Looks at every scene in one language. */
export function everyScreen(language) {
  return withWindow(`screens-${language}`, async (desktop) => {
    const { session } = desktop;
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
    for (const [name, bring] of Object.entries(SCENES)) {
      const tidy = await bring({ desktop, session, t, demo: id("demo"), failed: id("charts") });
      wrong.push(...(await show(session, name, language)));
      await tidy?.();
      await session.press(Key.Escape);
    }
    assert.deepEqual(wrong, []);
  });
}
