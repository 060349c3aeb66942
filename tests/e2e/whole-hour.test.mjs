// A newcomer's first hour, in one window with third-party servers: a form, a URL, a model, folders, a secret and the
// log, and everything is still there after a restart.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { press, pressArmed, typeOver, withBrowser } from "./asking.mjs";
import { violationsOf } from "./axe.mjs";
import { everything, installed, pictures } from "./desktop.mjs";
import { address, clickRow, ends, goTo, openTab, openTool, run, startsWith, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const NAME = "everything";
const SUM = "The sum of 2 and 40 is 42.";
const PASSPHRASE = "correct horse battery";
const filesystem = installed("npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

const noDialog = (session) => until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");

/** Searches for a tool in the Workbench, and opens it. */
async function find(session, tool) {
  await goTo(session, "workbench");
  await typeOver(session, await session.byRole("textbox", t("workbench:tree.search")), tool);
  await openTool(session, tool);
}

/** Runs the open tool, and waits for the question below it. */
async function runAndLook(session, kind) {
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await session.byCss("[data-question-in-place]", { timeout: 30_000 });
  await session.shows(t(`inbox:kicker.${kind}`));
}

/** Adds a server with N and a command from its documentation, under the suggested name. */
async function addByCommand(session) {
  await session.byRole("button", startsWith(t("servers:welcome.demo.title")));
  await session.press("n");
  const within = { within: await session.byRole("dialog", t("servers:add.title")) };
  await (await session.byRole("textbox", t("servers:form.command.label"), within)).fill(`node ${everything()}`);
  const name = await session.byRole("textbox", t("servers:form.name.label"), within);
  await until(async () => (await name.property("placeholder")).includes(NAME), "the suggested name");
  await session.press(Key.Control, Key.Enter);
  await noDialog(session);
  await session.byRole("row", new RegExp(`^${NAME}.*Ready`), { timeout: 60_000 });
}

/** A form, answered below the call. */
async function answerForm(session) {
  await find(session, "trigger-elicitation-request");
  await runAndLook(session, "form");
  await typeOver(session, await session.byRole("textbox", "String"), "Ada");
  await press(session, "inbox:answer.review");
  await session.shows(t("inbox:review.exact"));
  await pressArmed(session, "inbox:answer.send");
  await ends(session, "ok");
  await session.shows("Ada");
}

/** A URL, confirmed below the call and opened by the browser. */
async function openUrl(session, browser) {
  await goTo(session, "servers");
  await session.press(Key.Control, "k");
  await (await session.byRole("combobox", t("palette:title"))).type(t("palette:action.demo"));
  await session.press(Key.Enter);
  await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
  await find(session, "visit_page");
  await runAndLook(session, "url");
  await pressArmed(session, "inbox:answer.open");
  await until(() => browser.opened().length === 1, "the browser to be given the address");
  await pressArmed(session, "inbox:answer.isDone");
  await ends(session, "ok");
  await session.shows('"accept"');
}

/** A model: turned on in the server's details, then both reviews. */
async function askModel(session) {
  await goTo(session, "servers");
  await clickRow(session, new RegExp(`^${NAME}.*Ready`));
  await (await session.byRole("switch", t("models:servers.switch").replace("{{name}}", NAME))).click();
  const prompt = "How deep is the harbour?";
  await find(session, "trigger-sampling-request");
  await (await session.byRole("textbox", "prompt")).fill(prompt);
  await runAndLook(session, "sampling");
  await pressArmed(session, "inbox:answer.sampling.once");
  await session.shows(t("inbox:kicker.sampling_answer"), { timeout: 30_000 });
  await pressArmed(session, "inbox:answer.handOver");
  await ends(session, "ok");
  await session.shows(prompt);
}

/** A folder, shared with one server, which then lists it. */
async function shareFolder(session, folder) {
  await goTo(session, "servers");
  await clickRow(session, new RegExp(`^${NAME}.*Ready`));
  await openTab(session, t("servers:inspector.roots"));
  await (await session.byRole("textbox", startsWith(t("roots:add.label")))).fill(folder);
  await (await session.byRole("button", t("roots:add.submit"))).click();
  await session.byRole("button", t("roots:remove").replace("{{name}}", "charts"));
  await find(session, "get-roots-list");
  // The server asks again when it gets a change notification. Until then it shows the old folders.
  const told = async () => {
    await run(session);
    return (await session.pageText()).includes(`file://${folder}`);
  };
  await until(told, "the server to know of the folder", 20_000);
}

/** Two servers from pasted JSON, one with a secret, which also sets up the vault. */
async function paste(session, folder) {
  const config = {
    mcpServers: {
      files: { command: "node", args: [filesystem, folder], env: { HARBOUR_API_TOKEN: "tok-4711-of-the-harbour" } },
      broken: { command: "mooring-no-such-program" },
    },
  };
  await address(session, "/servers?add=import");
  await session.byRole("dialog", t("servers:add.title"));
  await (await session.byCss("[role=dialog] .cm-content")).fill(JSON.stringify(config));
  await session.shows(t("servers:import.plain"));
  await (await session.byRole("button", startsWith(t("sign-in:problem.vault.open")))).click();
  await session.byRole("dialog", t("vault:dialog.choose"));
  const fields = await session.execute('return [...document.querySelectorAll("[role=dialog] input[type=password]")]');
  for (const field of fields) await field.fill(PASSPHRASE);
  await (await session.byRole("button", startsWith(t("vault:choice.passphrase.submit")))).click();
  const add = await until(async () => {
    const [button] = await session.allByRole("button", startsWith(t("servers:import.submit_other").split(" {{")[0]));
    return button && !(await button.property("disabled")) && button;
  }, "the button that adds both");
  await add.click();
  await noDialog(session);
  await session.byRole("row", /^files.*Ready/, { timeout: 60_000 });
  await session.byRole("row", /^broken.*Failed/, { timeout: 30_000 });
  await find(session, "read_text_file");
  await (await session.byRole("textbox", "path")).fill(join(folder, "tides.txt"));
  await run(session);
  await session.shows("high water at six");
}

/** Searches the log: it has the request, and the secret nowhere. */
async function searchLog(session) {
  await goTo(session, "activity");
  const search = await session.byRole("textbox", t("activity:filter.text"));
  await search.fill("tides.txt");
  await until(async () => (await session.allByRole("row", /tools\/call/)).length === 1, "the call, in one row");
  await search.fill("tok-4711-of-the-harbour");
  await until(async () => (await session.allByRole("row", /tools\/call/)).length === 0, "nothing with the secret");
}

/** All first steps are done except the last, which needs an app. */
const onlyAnAppIsLeft = (session) =>
  until(
    () =>
      session.execute(
        "return document.querySelector('[aria-current=step]')?.textContent.includes(arguments[0])",
        t("common:firstSteps.app.name"),
      ),
    "the last of the first steps",
  );

test("a whole first hour, and everything is there after a restart", () =>
  withBrowser("whole-hour", async (desktop, browser) => {
    let { session } = desktop;
    const folder = join(desktop.directory, "charts");
    mkdirSync(folder);
    writeFileSync(join(folder, "tides.txt"), "high water at six\n");

    await addByCommand(session);
    await clickRow(session, new RegExp(`^${NAME}.*Ready`));
    await press(session, "servers:menu.workbench");
    await find(session, "get-sum");
    await (await session.byRole("textbox", "a")).fill("2");
    await (await session.byRole("textbox", "b")).fill("40");
    await run(session);
    await session.shows(SUM);
    await answerForm(session);
    await openUrl(session, browser);
    await askModel(session);
    await shareFolder(session, folder);
    await paste(session, folder);
    await searchLog(session);
    await onlyAnAppIsLeft(session);

    await desktop.restart();
    session = desktop.session;
    await session.byRole("row", new RegExp(`^files.*${t("common:state.locked")}`), { timeout: 30_000 });
    await session.screenshot(join(pictures(), "whole-hour-restart.png"));
    assert.deepEqual(await violationsOf(session, "after the restart"), []);
    await (await session.byRole("button", startsWith(t("vault:banner.enter")))).click();
    await (await session.byCss("[role=dialog] input[type=password]")).fill(PASSPHRASE);
    await session.press(Key.Enter);
    for (const name of [NAME, "demo", "files"]) {
      await session.byRole("row", new RegExp(`^${name}.*Ready`, "i"), { timeout: 60_000 });
    }
    // The call with its answer, the folder, the decision, and the log.
    await find(session, "get-sum");
    await openTab(session, t("workbench:tab.history"));
    await (await session.byRole("button", /you \(Workbench\)/i)).click();
    await session.shows(SUM);
    await find(session, "get-roots-list");
    await run(session);
    await session.shows(`file://${folder}`);
    await address(session, "/inbox/decisions");
    for (const text of [t("inbox:kind.form"), "example.org", t("inbox:kind.sampling")]) await session.shows(text);
    await searchLog(session);
    await onlyAnAppIsLeft(session);
    await press(session, "common:firstSteps.skip");
    await until(async () => !(await session.pageText()).includes(t("common:firstSteps.app.name")), "the first steps to go");
  }));
