// When things go wrong: each says what happened and what to do, loses nothing and disturbs nobody.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { pictures } from "./desktop.mjs";
import { clickRow, goTo, mooringOk, openTool, startDemo, withWindow } from "./person.mjs";
import { until } from "./webdriver.mjs";

/** Answers everything with one page, on loopback, while `work` runs. */
async function withPage(status, type, body, work) {
  const server = createServer((_request, response) => response.writeHead(status, { "content-type": type }).end(body));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await work(`http://127.0.0.1:${server.address().port}/mcp`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

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
        mooringOk(desktop, "add", "page", "--url", page);
        mooringOk(desktop, "add", "broken", "--url", broken);
        mooringOk(desktop, "add", "nobody", "--url", "http://127.0.0.1:9/mcp");
        for (const name of ["missing", "page"]) {
          await session.byRole("row", new RegExp(`^${name}.*(Failed|Reconnecting)`, "i"), { timeout: 30_000 });
        }
        await clickRow(session, /^missing/);
        await session.shows("no-such-program-anywhere");
        await clickRow(session, /^exits/);
        await session.shows("cannot find the chart", { timeout: 30_000 });
        await clickRow(session, /^page/);
        await session.shows(/HTML|web page/i);
        await clickRow(session, /^broken/);
        await session.shows("500");
      });
    });
    await goTo(session, "workbench");
    await openTool(session, "add");
    await (await session.byRole("textbox", "a")).fill("2");
    await (await session.byRole("textbox", "b")).fill("40");
    await (await session.byRole("button", /^Run/)).click();
    await session.shows(/\b42\b/);
  }));

test("a configuration with mistakes points at them and imports the rest", () =>
  withWindow("import", async ({ session }) => {
    await (await session.byRole("button", /^Paste a configuration/)).click();
    const editor = await session.byRole("textbox", "Configuration to import");
    await editor.click();
    await editor.type('{"mcpServers": {"good": {"command": "true"}, "bad": {"command": 7}}}');
    await session.shows(/1 server can be added/);
    await session.shows(/line 1/i);
  }));

test("data written by a newer version is left alone, and the window says so", () =>
  withWindow("newer-data", async (desktop) => {
    await startDemo(desktop.session);
    const database = new DatabaseSync(join(desktop.home, "mooring.db"));
    try {
      database.exec(
        "INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) " +
          "VALUES (99999999, 'from the future', CURRENT_TIMESTAMP, 1, x'00', 0)",
      );
      await desktop.restart();
      await desktop.session.shows("Your data was written by a newer Mooring");
      await desktop.session.shows("Nothing was changed or deleted.");
      await desktop.session.screenshot(join(pictures(), "newer-data.png"));
      assert.deepEqual(database.prepare("SELECT name FROM server").all().map(({ name }) => name), ["Demo"]);
    } finally {
      database.close();
    }
  }));

test("closing the window during a call leaves no process behind", () =>
  withWindow("closed", async (desktop) => {
    const { session } = desktop;
    await startDemo(session);
    await goTo(session, "workbench");
    await openTool(session, "progress");
    await (await session.byRole("button", /^Run/)).click();
    await session.byRole("progressbar");
    const servers = () =>
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          const read = (file) => (existsSync(`/proc/${pid}/${file}`) ? readFileSync(`/proc/${pid}/${file}`, "latin1") : "");
          try {
            return read("comm").startsWith("mooring-demo") && read("environ").includes(desktop.directory);
          } catch {
            return false; // it ended meanwhile
          }
        });
    assert.equal(servers().length, 1);
    await desktop.restart();
    await desktop.session.byRole("row", /^demo.*Ready/i, { timeout: 30_000 });
    await until(() => servers().length === 1, "the first demo server to be gone");
  }));
