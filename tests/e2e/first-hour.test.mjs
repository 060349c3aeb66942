// The first hour with Mooring in the real window: from nothing to a server, its tools, its events, and back again.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { binary, pictures } from "./desktop.mjs";
import { address, clickRow, ends, goTo, mooringInTerminal, mooringOk, openTab, openTool, run, startDemo, withWindow } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

test("the empty window starts the demo server, and a form books a berth", () =>
  withWindow("form", async ({ session }) => {
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "book_berth");
    await (await session.byRole("textbox", "ship")).fill("Fair Wind");
    await (await session.byRole("textbox", "arrival")).fill("2026-05-17");
    await (await session.byRole("textbox", "nights")).fill("3");
    await (await session.byRole("textbox", "name")).fill("Ada Lovelace");
    await run(session);
    await session.shows("CN-0");
    await openTab(session, "Structured");
    await session.shows("Fair Wind");
    await openTab(session, "Raw");
    await session.shows(/"ship":\s*"Fair Wind"/);
    await openTab(session, "History");
    assert.equal((await session.execute("return document.querySelectorAll('ol > li').length")) >= 1, true);
  }));

test("what does not fit the schema is said at the field, before anything is sent", () =>
  withWindow("schema", async ({ session }) => {
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "book_berth");
    const nights = await session.byRole("textbox", "nights");
    await nights.fill("99");
    await nights.type(Key.Tab);
    await session.shows("Must be at most 30");
  }));

test("text, pictures, sound, links and errors are shown as what they are", () =>
  withWindow("results", async ({ session }) => {
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "echo");
    await (await session.byRole("textbox", "text")).fill("Ahoy ñ 青岛");
    await run(session);
    await session.shows("Ahoy ñ 青岛");
    await openTool(session, "image");
    await run(session);
    const size = await until(
      () => session.execute("const i = document.querySelector('main img'); return i?.complete && i.naturalWidth"),
      "the picture",
    );
    assert.equal(size, 480);
    await openTool(session, "audio");
    await run(session);
    await session.byCss("main audio");
    await openTool(session, "link");
    await run(session);
    await session.shows("harbour://guide");
    await openTool(session, "fail");
    await run(session, "tool_error");
    await session.shows("the anchor is fouled");
    await openTool(session, "structured");
    await run(session);
    await openTab(session, "Structured");
    await session.shows("Πειραιάς");
  }));

test("a long call shows its progress and can be cancelled", () =>
  withWindow("progress", async ({ session }) => {
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "progress");
    await (await session.byRole("button", /^Run/)).click();
    const bar = await session.byRole("progressbar");
    const value = async () => Number(await bar.attribute("aria-valuenow"));
    const first = await until(value, "progress");
    await until(async () => (await value()) > first, "more progress");
    await session.shows("fathoms hauled in");
    await (await session.byRole("button", /^Cancel/)).click();
    await ends(session, "cancelled", 3_000);
    await session.shows("You cancelled this call.");
    await goTo(session, "activity");
    await session.byRole("row", /Cancelled.*notifications\/cancelled/);
  }));

test("every message is in Activity, live and after a restart, and can be found", () =>
  withWindow("record", async (desktop) => {
    let { session } = desktop;
    await startDemo(session);
    await goTo(session, "activity");
    await session.shows("server/discover");
    // The window asks once about the terminal of a command. Then the call appears automatically.
    const called = mooringInTerminal(desktop, "call", "echo", '{"text": "from a terminal"}', "--server", "Demo");
    await goTo(session, "inbox");
    await session.shows("The command line in this terminal wants to use your servers");
    await session.byCss("footer button[data-armed=true]");
    await (await session.byRole("button", /^Allow until it closes/)).click();
    const { code, said } = await called;
    assert.equal(code, 0, said);
    assert.match(said, /from a terminal/);
    await goTo(session, "activity");
    await session.shows("tools/call");

    await goTo(session, "workbench");
    await openTool(session, "echo");
    await (await session.byRole("textbox", "text")).fill("before the restart");
    await run(session);
    await desktop.restart();
    session = desktop.session;
    await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });

    await goTo(session, "activity");
    await (await session.byRole("textbox", "Search events")).fill("before the restart");
    await session.byRole("group", "Active filters");
    const rows = await until(async () => {
      const found = await session.allByRole("row", /tools\/call/);
      // Until the search is done, the rows of the terminal's call are there as well.
      return found.length === 1 && found;
    }, "the request and its answer, in one row");
    await rows[0].click();
    await session.byCss('aside[aria-label="Event details"], [role="dialog"]');
    await session.shows("before the restart");

    await address(session, "/activity?method=tools%2Fcall&direction=out");
    const sent = await until(async () => {
      const found = await session.allByRole("row", /tools\/call/);
      return found.length === 2 && found;
    }, "the two requests without their answers");
    await sent[1].click();
    await session.byCss('aside[aria-label="Event details"], [role="dialog"]');
    await session.shows('"before the restart"');
  }));

/** A server with a skill. */
const PILOT = `
import { createInterface } from "node:readline";
const uri = "pilot://skills/night-entry/SKILL.md";
const frontmatter = { name: "night-entry", description: "How to come in at night" };
const text = "---\\nname: night-entry\\ndescription: How to come in at night\\n---\\n\\n# Keep the white light ahead\\n";
const results = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } }, serverInfo: { name: "pilot", version: "1" } },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "skills/list": { skills: [{ uri, frontmatter, resources: "dynamic" }] },
  "resources/read": { contents: [{ uri, mimeType: "text/markdown", text }] },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});
`;

test("a skill that a server brings along is listed, and opens as what the server sends", () =>
  withWindow("skills", async (desktop) => {
    const { session } = desktop;
    const script = join(desktop.directory, "pilot.mjs");
    writeFileSync(script, PILOT);
    mooringOk(desktop, "add", "pilot", "--", process.execPath, script);
    await clickRow(session, /^pilot.*Ready/);
    await session.byCss('aside[aria-label="Details of “pilot”"]');
    await openTab(session, "Resources");
    const skills = await session.byRole("region", "Skills");
    const skill = await session.byRole("link", /night-entry.*How to come in at night/, { within: skills });
    await session.screenshot(join(pictures(), "skills.png"));
    assert.deepEqual(await violationsOf(session, "skills"), []);
    await skill.click();
    await (await session.byRole("button", /^Read/)).click();
    await session.shows("Keep the white light ahead");
  }));

test("a server stopped by the person stays stopped", () =>
  withWindow("stopped", async (desktop) => {
    let { session } = desktop;
    await startDemo(session);
    mooringOk(desktop, "add", "steady", "--", binary("mooring-demo-server"));
    await session.byRole("row", /^steady.*Ready/, { timeout: 30_000 });
    await clickRow(session, /^demo/i);
    const details = await session.byCss('aside[aria-label="Details of “Demo”"]');
    await (await session.byRole("button", /^Stop/, { within: details })).click();
    await session.byRole("row", /^demo.*Stopped/i);
    await desktop.restart();
    session = desktop.session;
    // Servers start together, so this one would be starting when the other is ready.
    await session.byRole("row", /^steady.*Ready/, { timeout: 30_000 });
    await session.settled();
    assert.equal((await session.allByRole("row", /^demo.*Stopped/i)).length, 1);
    // The other server may briefly run in a second process, to test session support.
    await until(() => desktop.processes("mooring-demo-server").length === 1, "one process of the two demo servers");
  }));

test("the palette goes everywhere, and Escape closes it", () =>
  withWindow("palette", async ({ session }) => {
    await startDemo(session);
    await session.press(Key.Control, "k");
    const search = await session.byRole("combobox");
    await search.type("settings");
    await search.type(Key.Enter);
    await session.byCss('main[aria-label="Settings"]');
    await session.press(Key.Control, "k");
    await session.byRole("combobox");
    await session.press(Key.Escape);
    await until(async () => (await session.allByRole("combobox", /search|Search/)).length === 0, "the palette to close");
  }));
