// The questions of the third-party server-everything in the real window: its form, sampling, and roots.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { askAbout, callAndLook, editText, isEmpty, letAskModels, press, pressArmed, runTool, serverId, told, typeOver } from "./asking.mjs";
import { violationsOf } from "./axe.mjs";
import { everything, pictures } from "./desktop.mjs";
import { address, ends, goTo, mooringOk, startsWith, toolIsOpen, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");

/** Opens a window in which server-everything is ready. */
function withEverything(name, work) {
  return withWindow(name, async (desktop) => {
    const { session } = desktop;
    mooringOk(desktop, "add", "everything", "--json", "--", process.execPath, everything());
    await session.byRole("row", /^everything.*Ready/, { timeout: 60_000 });
    await work({ desktop, session, server: serverId(desktop) });
  });
}

const limited = (key, limit) => t(`form:problem.${key}`).replace(/\{\{[^}]*\}\}/, limit);

/** The text for each text field: first invalid, then valid. */
const TYPED = [
  { field: "String", well: "Ada" },
  { field: "String with default", well: "Call me Ishmael." },
  { field: "String with email format", bad: "ada", mistake: "Isn’t an email address", well: "ada@example.org" },
  {
    field: "String with uri format",
    bad: "example",
    mistake: "Isn’t a URL; write it as https://example.com",
    well: "https://example.org/ada",
  },
  { field: "String with date format", bad: "1815-12-32", mistake: "Isn’t a date; write it as 2026-11-22", well: "1815-12-10" },
  { field: "Integer", bad: "101", mistake: limited("maximum", "100"), well: "7" },
  { field: "Number in range 1-1000", bad: "much", mistake: t("form:problem.notNumber"), well: "2.71" },
];

const CHOSEN = [
  { field: "Boolean", group: "radiogroup", role: "radio", press: ["Yes"] },
  { field: "Untitled Single Select Enum", group: "radiogroup", role: "radio", press: ["Phoebe"] },
  { field: "Untitled Multiple Select Enum", group: "group", role: "checkbox", press: ["Guitar", "Piano", "Drums"] },
  { field: "Titled Single Select Enum", group: "radiogroup", role: "radio", press: ["Wonder Woman"] },
  { field: "Titled Multiple Select Enum", group: "group", role: "checkbox", press: ["Trout"] },
  { field: "Legacy Titled Single Select Enum", group: "radiogroup", role: "radio", press: ["Fish"] },
];

const ANSWER = {
  name: "Ada",
  check: true,
  firstLine: "Call me Ishmael.",
  email: "ada@example.org",
  homepage: "https://example.org/ada",
  birthdate: "1815-12-10",
  integer: 7,
  number: 2.71,
  untitledSingleSelectEnum: "Phoebe",
  untitledMultipleSelectEnum: ["Piano", "Drums"],
  titledSingleSelectEnum: "hero-3",
  titledMultipleSelectEnum: ["fish-1", "fish-3"],
  legacyTitledEnum: "pet-4",
};

/** The answer, as the server shows it. */
async function answered(scene) {
  await told(scene, "trigger-elicitation-request", "Raw result: {");
  const page = await scene.session.pageText();
  const [text] = page.slice(page.indexOf("Raw result: ") + 12).match(/^\{[^]*?\n\}/);
  return JSON.parse(text);
}

async function fillIn(session) {
  const shows = (text, wanted) => until(async () => (await session.pageText()).includes(text) === wanted, `${text}: ${wanted}`);
  for (const { field, bad, mistake, well } of TYPED) {
    const box = await session.byRole("textbox", field);
    for (const text of bad === undefined ? [well] : [bad, well]) {
      await typeOver(session, box, text);
      await session.press(Key.Tab);
      if (bad !== undefined) await shows(mistake, text === bad);
    }
  }
  for (const { field, group, role, press: names } of CHOSEN) {
    const within = await session.byRole(group, field);
    for (const name of names) await (await session.byRole(role, name, { within })).click();
  }
  // With too many choices, it can't be reviewed.
  const within = await session.byRole("group", "Untitled Multiple Select Enum");
  const toggle = async () => {
    for (const name of ["Violin", "Bass"]) await (await session.byRole("checkbox", name, { within })).click();
  };
  await toggle();
  await press(session, "inbox:answer.review");
  await session.shows(limited("maxItems_other", "3"));
  assert.ok(!(await session.pageText()).includes(t("inbox:review.exact")));
  await toggle();
}

// Requirements: ELIC-05.
test("server-everything's form of every type is filled in, mended, looked over and sent, and declined and cancelled", () =>
  withEverything("everything-form", async (scene) => {
    const { session } = scene;
    await callAndLook(scene, "trigger-elicitation-request");
    await session.shows("Please provide inputs for the following fields:");
    await fillIn(session);
    assert.deepEqual(await violationsOf(session), []);
    await session.screenshot(join(pictures(), "everything-form.png"));
    await press(session, "inbox:answer.review");
    await session.shows(t("inbox:review.exact"));
    await session.screenshot(join(pictures(), "everything-review.png"));
    await pressArmed(session, "inbox:answer.send");
    await isEmpty(session);
    assert.deepEqual(await answered(scene), { action: "accept", content: ANSWER });
    for (const [key, action] of [
      ["inbox:answer.decline", "decline"],
      ["common:cancel", "cancel"],
    ]) {
      await callAndLook(scene, "trigger-elicitation-request");
      await session.shows("Please provide inputs for the following fields:");
      await press(session, key);
      await isEmpty(session);
      await until(async () => (await answered(scene)).action === action, `the server to be told ${action}`);
    }
  }));

// Requirements: TOOL-02, ROOT-04.
test("server-everything's tools run as a rule says, and it learns of folders while it is connected", () =>
  withEverything("everything-tools", async (scene) => {
    const { desktop, session, server } = scene;
    const asked = async (message) => {
      await callAndLook(scene, "echo", { message });
      await session.shows(t("inbox:kicker.tool"));
      await session.shows(message);
    };
    await askAbout(session, "echo");
    await asked("ahoy once");
    await pressArmed(session, "inbox:answer.tool.once");
    await isEmpty(session);
    await told(scene, "echo", "Echo: ahoy once");
    for (const key of ["inbox:answer.decline", "inbox:answer.cancelCall"]) {
      await asked("never said");
      await press(session, key);
      await isEmpty(session);
    }
    await asked("ahoy always");
    await (await session.byRole("radio", t("inbox:remember.scope.always"))).click();
    await session.shows("can always run “echo”, with any arguments, until the tool’s definition changes");
    await session.screenshot(join(pictures(), "everything-consent.png"));
    await pressArmed(session, "inbox:answer.tool.always");
    await isEmpty(session);
    await runTool(scene, "echo", { message: "ahoy unasked" });
    await ends(session, "ok");
    await session.shows("Echo: ahoy unasked");
    // A remembered answer can be removed, and then the server asks again.
    await goTo(session, "inbox");
    await (await session.byRole("button", t("inbox:decisions.forget"))).click();
    await session.shows(t("inbox:decisions.forgotten"));
    await asked("ahoy again");
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    const rows = JSON.parse(mooringOk(desktop, "logs", "--json", "--limit", "1000")).result;
    const sent = rows.filter((row) => row.method === "tools/call" && row.direction === "out" && row.subject === "echo");
    assert.deepEqual(sent.map((row) => row.body.match(/ahoy \w+/)?.[0]).sort(), ["ahoy always", "ahoy once", "ahoy unasked"]);

    const places = ["charts", "log book"].map((name) => join(desktop.directory, name));
    for (const place of places) mkdirSync(place);
    const uri = (place) => `file://${place.replaceAll(" ", "%20")}`;
    const knows = async (folders, others) => {
      // The server asks again when it gets a change notification. Until then it shows the old folders.
      await until(
        async () => {
          await runTool(scene, "get-roots-list");
          await ends(session, "ok");
          const page = await session.pageText();
          return folders.every((place) => page.includes(uri(place))) && !others.some((place) => page.includes(uri(place)));
        },
        `the server to know of ${folders.length} folders`,
        20_000,
      );
    };
    const rootsTab = () => address(session, `/servers?id=${server}&tab=roots`);
    const add = async (place) => {
      await rootsTab();
      await (await session.byRole("textbox", startsWith(t("roots:add.label")))).fill(place);
      await (await session.byRole("button", t("roots:add.submit"))).click();
      await session.byRole("button", t("roots:remove").replace("{{name}}", place.split("/").at(-1)));
    };
    await knows([], places);
    await session.shows("no roots are currently configured");
    await add(places[0]);
    await knows([places[0]], [places[1]]);
    await add(places[1]);
    await knows(places, []);
    await rootsTab();
    await (await session.byRole("button", t("roots:rename").replace("{{name}}", "charts"))).click();
    await typeOver(session, await session.byRole("textbox", t("roots:nameOf").replace("{{name}}", "charts")), "Sea charts");
    await session.press(Key.Enter);
    await session.shows("Sea charts");
    await (await session.byRole("button", t("roots:remove").replace("{{name}}", "log book"))).click();
    await session.shows(t("roots:removed").replace("{{name}}", "log book"));
    await session.screenshot(join(pictures(), "everything-roots.png"));
    await knows([places[0]], [places[1]]);
    await session.shows("Sea charts");
  }));

// Requirements: SAMP-02, SAMP-03, SAMP-16.
test("server-everything asks a model only once it may, and both looks at what is said count", () =>
  withEverything("everything-sampling", async (scene) => {
    const { session, server } = scene;
    const tool = "trigger-sampling-request";
    const look = async (prompt) => {
      await callAndLook(scene, tool, { prompt });
      await session.shows(t("inbox:kicker.sampling"));
      await session.shows(prompt);
    };
    // Before, the server was not even offered sampling.
    await address(session, `/servers?id=${server}&tab=tools`);
    // The list only draws visible rows, so search for the tool.
    await (await session.byRole("textbox", t("servers:tools.search"))).type("trigger");
    await session.shows("trigger-elicitation-request");
    assert.ok(!(await session.pageText()).includes(tool));
    await letAskModels(session, "everything");

    await look("How deep is the harbour?");
    await press(session, "inbox:sampling.edit");
    await typeOver(session, await session.byRole("textbox", t("inbox:sampling.system")), "You are a pilot.");
    await typeOver(session, await session.byRole("textbox", startsWith(t("inbox:sampling.role.user"))), "How high is the quay?");
    await typeOver(session, await session.byRole("textbox", t("inbox:fact.maxTokens")), "55");
    await press(session, "inbox:sampling.editDone");
    await session.shows(t("inbox:says.edited"));
    assert.deepEqual(await violationsOf(session), []);
    await session.screenshot(join(pictures(), "everything-sampling.png"));
    await pressArmed(session, "inbox:answer.sampling.once");
    await session.shows(t("inbox:kicker.sampling_answer"));
    // The practice model repeats its prompt.
    await session.shows("How high is the quay?");
    const edit = await session.byRole("button", t("inbox:sampling.edit"));
    await until(async () => !(await edit.property("disabled")), "the model to end");
    assert.ok(!(await session.pageText()).includes("How deep is the harbour?"));
    await editText(session, startsWith(t("inbox:sampling.answer")), "Two metres above the highest water.");
    await session.shows(t("inbox:says.answerEdited"));
    await session.screenshot(join(pictures(), "everything-sampling-answer.png"));
    await pressArmed(session, "inbox:answer.handOver");
    await isEmpty(session);
    await told(scene, tool, "Two metres above the highest water.");
    assert.ok(!(await session.pageText()).includes("How high is the quay?"));

    // Declined at the first review.
    const refused = async () => {
      await address(session, `/workbench?server=${server}&tool=${tool}`);
      await session.shows("User rejected sampling request");
    };
    await look("Shall we sail?");
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    await refused();

    // Remembered: the next request is approved automatically, but its answer isn't, and it is declined at the second
    // review.
    await look("Shall we sail now?");
    await (await session.byRole("radio", t("inbox:remember.scope.session"))).click();
    await pressArmed(session, "inbox:answer.sampling.session");
    await session.shows(t("inbox:kicker.sampling_answer"));
    await pressArmed(session, "inbox:answer.handOver");
    await isEmpty(session);
    await told(scene, tool, "Shall we sail now?");
    await callAndLook(scene, tool, { prompt: "And tomorrow?" });
    await session.shows(t("inbox:kicker.sampling_answer"));
    await press(session, "inbox:answer.decline");
    await isEmpty(session);
    await refused();
    // After the approval is removed under Models, the server asks again.
    await goTo(session, "models");
    await session.byRole("list", t("models:standing.title"));
    await session.screenshot(join(pictures(), "everything-standing.png"));
    await (await session.byRole("button", /^Ask again:/)).click();
    await until(async () => (await session.allByRole("list", t("models:standing.title"))).length === 0, "it to be taken back");
    await look("And the day after?");
    await press(session, "common:cancel");
    await isEmpty(session);
  }));
