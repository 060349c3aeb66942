// When something goes wrong: each error says what happened and what to do, loses no data and affects nothing else.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { address, ends, goTo, mooringOk, openTool, run, startDemo, toolIsOpen, withPage, withWindow } from "./person.mjs";
import { until } from "./webdriver.mjs";

/** The expected texts for each server that cannot start: in its row and in the error of its details. */
const TROUBLES = {
  nobody: {
    state: "Trying again",
    title: "Nothing responds at this URL.",
    why: /^The server couldn’t be reached: .*refused.*\.$/i,
    next: "Check that the server is running and that its URL and port are right.",
  },
  missing: {
    state: "Failed",
    title: "The program wasn’t found.",
    why: /^no-such-program-anywhere wasn’t found in the .*folders? of /,
    next: "Check the spelling, install the program, or give its full path.",
  },
  forbidden: {
    state: "Failed",
    title: "The program can’t be run.",
    why: /forbidden\.sh exists but can’t be run\.$/,
    next: /^Try this: Make it executable: chmod \+x .*forbidden\.sh\.?$/,
  },
  exits: {
    state: "Trying again",
    title: "The server exited.",
    why: /^The server ended before it answered \(exit code 4\)\.$/,
    next: "Its output usually says what is missing.",
    evidence: "cannot find the chart",
  },
  page: {
    state: "Failed",
    title: "This isn’t an MCP server.",
    why: /^Something answered, but not an MCP server: a web page\.$/,
    next: "Check the URL in the server’s documentation.",
    evidence: "<h1>Welcome</h1>",
  },
  broken: {
    state: "Trying again",
    title: "The server returned an HTTP error.",
    why: /^The server answered with HTTP status 500: an internal error of the server\.$/,
    next: "The server failed. Try again later, or check the server’s own log.",
    evidence: "the engine room is flooded",
  },
};

// Runs in the page: the state and the reason in the row of the server with this name.
const OWN_ROW = `
const row = [...document.querySelectorAll('main tbody tr')].find((row) => row.querySelector('td b')?.textContent === arguments[0]);
return row && { state: row.querySelector('[data-state-mark]').innerText.trim(), reason: row.querySelector('[data-reason]')?.innerText.trim() };
`;

// Runs in the page: clicks the row of this server. Finds and clicks it in one step, because rows move while a server is
// retried.
const PRESS_ROW = `
[...document.querySelectorAll('main tbody tr td b')].find((name) => name.textContent === arguments[0]).click();
`;

// Runs in the page: the parts of the error in the details of the server with this name.
const OWN_NOTICE = `
const notice = document.querySelector('aside[aria-label="Details of “' + arguments[0] + '”"] [role=alert]');
if (!notice) return null;
const [title, why, ...rest] = [...notice.querySelectorAll('p')].map((paragraph) => paragraph.textContent.trim());
// The URL of a remote server comes before the next step.
return { title, why, next: rest.at(-1), evidence: notice.querySelector('details pre')?.textContent.trim() };
`;

test("servers that cannot start say why, and the good one does not care", () =>
  withWindow("bad-servers", async (desktop) => {
    const { session } = desktop;
    await startDemo(session);
    const script = join(desktop.directory, "noise.sh");
    writeFileSync(script, "echo 'cannot find the chart' >&2\nexit 4\n");
    await withPage(200, "text/html", "<h1>Welcome</h1>", async (page) => {
      await withPage(500, "text/plain", "the engine room is flooded", async (broken) => {
        mooringOk(desktop, "add", "missing", "--", "no-such-program-anywhere");
        mooringOk(desktop, "add", "exits", "--", "sh", script);
        const forbidden = join(desktop.directory, "forbidden.sh");
        writeFileSync(forbidden, "#!/bin/sh\n", { mode: 0o644 });
        mooringOk(desktop, "add", "forbidden", "--", forbidden);
        mooringOk(desktop, "add", "page", "--url", page);
        mooringOk(desktop, "add", "broken", "--url", broken);
        mooringOk(desktop, "add", "nobody", "--url", "http://127.0.0.1:9/mcp");
        for (const [name, { state, title, why, next, evidence }] of Object.entries(TROUBLES)) {
          const row = () => session.execute(OWN_ROW, name);
          await until(async () => (await row())?.state === state, `${name} to be ${state}`, 30_000);
          await session.execute(PRESS_ROW, name);
          // A server that is retried only shows its reason between attempts.
          const notice = await until(() => session.execute(OWN_NOTICE, name), `the notice of ${name}`);
          assert.match(notice.why, why, name);
          if (next instanceof RegExp) assert.match(notice.next, next, name);
          const said = next instanceof RegExp ? notice.next : `Try this: ${next}`;
          assert.deepEqual({ ...notice, why: null }, { title, why: null, next: said, evidence: evidence ?? notice.evidence }, name);
          const reason = async () => (await row())?.reason === title;
          await until(reason, `the reason in the row of ${name}`);
        }
      });
    });
    assert.equal((await session.execute(OWN_ROW, "Demo")).state, "Ready");
    await goTo(session, "workbench");
    // With more than five servers, each is collapsed until it is opened.
    await (await session.byRole("treeitem", /^Demo/)).click();
    await openTool(session, "add");
    await (await session.byRole("textbox", "a")).fill("2");
    await (await session.byRole("textbox", "b")).fill("40");
    await run(session);
    await session.shows(/\b42\b/);
  }));

/** A server whose tool `huge` returns 50 MiB. */
const WHALE = `
import { createInterface } from "node:readline";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tools = ["huge", "small"].map((name) => ({ name, inputSchema: { type: "object" } }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const text = () => (params.name === "huge" ? "h".repeat(50 << 20) : "a small fish");
  const results = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "whale", version: "1" } }),
    "tools/list": () => ({ tools }),
    "tools/call": () => ({ content: [{ type: "text", text: text() }] }),
  };
  if (id === undefined) return;
  say(results[method] ? { id, result: results[method]() } : { id, error: { code: -32601, message: "no such method" } });
});
`;

test("a result of 50 MiB is refused with the limit, and neither its server nor the neighbour is disturbed", () =>
  withWindow("huge-result", async (desktop) => {
    const { session } = desktop;
    await startDemo(session);
    const script = join(desktop.directory, "whale.mjs");
    writeFileSync(script, WHALE);
    mooringOk(desktop, "add", "whale", "--", process.execPath, script);
    await session.byRole("row", /^whale.*Ready/, { timeout: 30_000 });
    const listed = JSON.parse(mooringOk(desktop, "list", "--json")).result;
    const open = async (name, tool) => {
      const { id } = listed.find((server) => server.name === name);
      await address(session, `/workbench?server=${id}&tool=${tool}`);
      await toolIsOpen(session, tool);
    };
    await open("Demo", "progress");
    await (await session.byRole("textbox", "seconds")).fill("5");
    await (await session.byRole("button", /^Run/)).click();
    await session.byRole("progressbar");

    await open("whale", "huge");
    await run(session, "failed");
    const notice = await (await session.byCss('[role="alert"]')).text();
    assert.match(notice, /^The answer is larger than the limit of 16 MiB: it has 50 MiB\..*raise the limit in Settings\./s);
    for (const [width, height] of [
      [900, 600],
      [1280, 800],
    ]) {
      await session.resize(width, height);
      await session.screenshot(join(pictures(), `huge-result-${width}x${height}.png`));
    }
    assert.deepEqual(await violationsOf(session, "huge-result"), []);
    await open("whale", "small");
    await run(session);
    await session.shows("a small fish");

    await open("Demo", "progress");
    await ends(session, "ok");
    await address(session, "/servers");
    assert.equal((await session.allByRole("row", /^(demo|whale).*Ready/i)).length, 2);
  }));

test("a configuration with mistakes points at them and imports the rest", () =>
  withWindow("import", async (desktop) => {
    const { session } = desktop;
    await (await session.byRole("button", /^Paste a configuration/)).click();
    const editor = await session.byRole("textbox", "Text with servers");
    await editor.click();
    const good = { command: join(process.env.MOORING_BIN_DIR, "mooring-demo-server"), args: [] };
    const text = `{"mcpServers": {"good": ${JSON.stringify(good)}, "bad": {"command": 7}}}`;
    await editor.type(text);
    await session.shows(/1 server can be added/);
    await session.shows(`line 1:${text.lastIndexOf("7") + 1}`);
    await (await session.byRole("button", /^Add and start 1 server/)).click();
    await session.byRole("row", /^good.*Ready/, { timeout: 30_000 });
    const saved = JSON.parse(mooringOk(desktop, "list", "--json")).result;
    assert.deepEqual(
      saved.map(({ name, command, args }) => ({ name, command, args })),
      [{ name: "good", ...good }],
    );
  }));

test("data written by a newer version is left alone, and the window says so", () =>
  withWindow("newer-data", async (desktop) => {
    await startDemo(desktop.session);
    const database = new DatabaseSync(join(desktop.home, "mooring.db"), { timeout: 5_000 }); // The window writes too.
    try {
      database.exec(
        "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) " +
          "VALUES (99999999, 'from the future', CURRENT_TIMESTAMP, 1, x'00', 0)",
      );
      await desktop.restart();
      await desktop.session.shows("Your data was saved by a newer version of Mooring");
      await desktop.session.shows("Nothing was changed or deleted.");
      for (const [width, height] of [
        [900, 600],
        [1280, 800],
      ]) {
        await desktop.session.resize(width, height);
        await desktop.session.screenshot(join(pictures(), `newer-data-${width}x${height}.png`));
      }
      assert.deepEqual(await violationsOf(desktop.session, "newer-data"), []);
      assert.deepEqual(
        database
          .prepare("SELECT name FROM server")
          .all()
          .map(({ name }) => name),
        ["Demo"],
      );
    } finally {
      database.close();
    }
  }));

test("closing the window during a call cancels it, keeps its record and leaves no process behind", () =>
  withWindow("closed", async (desktop) => {
    await startDemo(desktop.session);
    await goTo(desktop.session, "workbench");
    await openTool(desktop.session, "progress");
    await (await desktop.session.byRole("button", /^Run/)).click();
    await desktop.session.byRole("progressbar");
    assert.equal(desktop.processes("mooring-demo-server").length, 1);
    await desktop.closeWindow();
    // The window ends its server before itself. The guardian then notices that and ends.
    assert.deepEqual(desktop.processes("mooring-demo-server"), []);
    await until(() => desktop.processes("mooring-").length === 0, "the guardian to end", 2_000);

    const rows = JSON.parse(mooringOk(desktop, "logs", "--json", "--limit", "1000")).result;
    const place = (what, matches) => {
      const found = rows.filter(matches);
      assert.equal(found.length, 1, `${what}: ${JSON.stringify(rows, null, 1)}`);
      return rows.indexOf(found[0]);
    };
    const verdict = place("the verdict", ({ kind, subject, status }) => kind === "verdict" && subject === "progress" && status === "ok");
    const { decision, caller } = JSON.parse(rows[verdict].body);
    assert.deepEqual({ decision, caller }, { decision: "allow", caller: "workbench" });
    const request = place("the request", ({ direction, method }) => direction === "out" && method === "tools/call");
    // The server's change notifications are cancelled too, with a message of their own.
    const isAbout = ({ body }) => String(JSON.parse(body).params.requestId) === rows[request].rpc_id;
    const told = place(
      "the word to the server",
      (row) => row.direction === "out" && row.method === "notifications/cancelled" && isAbout(row),
    );
    const cancelled = place(
      "the end of the call",
      ({ kind, subject, status }) => kind === "diagnostic" && subject === "progress" && status === "cancelled",
    );
    assert.ok(verdict < request && request < cancelled && request < told, `${[verdict, request, told, cancelled]}`);
    assert.equal(
      rows.some(({ direction, rpc_id }) => direction === "in" && rpc_id === rows[request].rpc_id),
      false,
      "an answer",
    );

    await desktop.restart();
    const { session } = desktop;
    await session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
    await address(session, "/activity?method=tools/call");
    await session.byRole("row", /Allowed.*progress.*Workbench/);
    await session.byRole("row", /cancelled.*progress.*tools\/call/);
    assert.equal(desktop.processes("mooring-demo-server").length, 1);
  }));
