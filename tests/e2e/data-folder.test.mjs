// A data folder that cannot be written: a disk that fills up while the window is open, one that is already full, and a
// read-only folder. Each error includes the next step, and no existing data is lost.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { binary, pictures } from "./desktop.mjs";
import { address, goTo, mooringOk, openTool, run, startDemo, withWindow, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const SMALL_DISK = join(import.meta.dirname, "on-small-disk.sh");
const t = words("en");

/** The path of the data folder in the window's mount namespace. */
function inside(desktop) {
  const [pid] = desktop.processes("mooring-desktop");
  return `/proc/${pid}/root${desktop.home}`;
}

/** Fills a folder's file system completely. */
function fill(folder) {
  const file = openSync(join(folder, "filler"), "w");
  const bytes = Buffer.alloc(64 << 10);
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    assert.equal(error.code, "ENOSPC");
  } finally {
    closeSync(file);
  }
}

/** Runs a program in the window's mount namespace and returns its output. */
function among(desktop, program, ...args) {
  const [pid] = desktop.processes("mooring-desktop");
  const as = process.getuid() === 0 ? [] : ["--user", "--preserve-credentials"];
  const options = { env: desktop.env, encoding: "utf8", timeout: 60_000 };
  const ran = spawnSync("nsenter", ["--target", pid, "--mount", ...as, program, ...args], options);
  assert.equal(ran.status, 0, `${program} ${args.join(" ")}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
}

/** The events in the log, oldest first. */
function logged(desktop) {
  return JSON.parse(among(desktop, binary("mooring"), "logs", "--json", "--limit", "1000")).result;
}

/** SQLite's integrity check of the database. */
function integrity(desktop) {
  const look = `
    const database = new (require("node:sqlite").DatabaseSync)(process.argv[1]);
    console.log(database.prepare("PRAGMA integrity_check").all().map((row) => row.integrity_check).join());
  `;
  return among(desktop, process.execPath, "--no-warnings", "--eval", look, join(desktop.home, "mooring.db")).trim();
}

const calls = (rows) =>
  rows
    .filter(({ direction, method }) => direction === "out" && method === "tools/call")
    .map(({ body }) => JSON.parse(body).params.arguments.text);

/** Whether every request in the log has an answer. A subscription is only answered when it ends. */
function settled(rows) {
  const passing = rows.filter(({ method, rpc_id }) => rpc_id !== null && method !== "subscriptions/listen");
  const ids = (wanted) => passing.filter(({ direction }) => direction === wanted).map(({ rpc_id }) => rpc_id);
  return ids("out").every((id) => ids("in").includes(id));
}

async function echo(session, text) {
  await goTo(session, "workbench");
  await openTool(session, "echo");
  await (await session.byRole("textbox", "text")).fill(text);
  await run(session);
  await session.shows(text); // text in a field isn't text of the page
  await session.shows(t("workbench:run.ok"));
}

// Runs in the page: whether the whole error is above the dialog's buttons.
const REFUSAL_IN_SIGHT = `
const edge = (selector, side) => document.querySelector('[role=dialog] ' + selector).getBoundingClientRect()[side];
return edge('[role=alert]', 'bottom') <= edge('button[type=submit]', 'top');
`;

async function dress(session, theme) {
  await session.execute("document.documentElement.dataset.theme = arguments[0]", theme);
}

/** Takes pictures in both themes and returns axe's findings. */
async function show(session, name) {
  const wrong = [];
  for (const theme of ["light", "dark"]) {
    await dress(session, theme);
    for (const [width, height] of [
      [900, 600],
      [1280, 800],
    ]) {
      await session.resize(width, height);
      await session.screenshot(join(pictures(), `${name}-${theme}-${width}x${height}.png`));
    }
    wrong.push(...(await violationsOf(session, `${name}-${theme}`)));
  }
  return wrong;
}

test("a disk that fills up stops the record and nothing else, and the record says what it misses", () =>
  withWindow(
    "disk-fills-up",
    async (desktop) => {
      const { session } = desktop;
      await startDemo(session);
      await echo(session, "there was room");
      const before = await until(() => {
        const rows = logged(desktop);
        return calls(rows).length === 1 && settled(rows) && rows;
      }, "the first call in the log, with its answer");

      fill(inside(desktop));
      await echo(session, "there is none");
      await session.byCss(`footer a[href$="/activity"]`);
      await session.shows(t("common:status.journalFailing"));
      await echo(session, "still none");
      await goTo(session, "activity");
      await session.shows("the disk is full");
      await session.shows(t("activity:journal.next"));
      const wrong = await show(session, "disk-full-activity");
      // Saving is rejected, with the reason.
      await address(session, "/servers?add=url");
      const dialog = await session.byRole("dialog", t("servers:add.title"));
      await (await session.byRole("textbox", t("servers:form.url.label"), { within: dialog })).fill("http://127.0.0.1:9/mcp");
      await (await session.byRole("button", /^Add and connect/, { within: dialog })).click();
      await session.shows(t("common:error.disk_full"));
      await session.resize(900, 600);
      await (await session.byRole("button", /^Add and connect/, { within: dialog })).click();
      await until(() => session.execute(REFUSAL_IN_SIGHT), "the refusal to be in sight in a small window");
      wrong.push(...(await show(session, "disk-full-add")));
      await address(session, "/activity");

      rmSync(join(inside(desktop), "filler"));
      await until(async () => !(await session.pageText()).includes(t("common:status.journalFailing")), "the record to go on", 30_000);
      await session.byRole("row", /\D6 events weren’t saved/);
      await session.screenshot(join(pictures(), "disk-full-recovered.png"));
      await echo(session, "room again");
      const after = await until(() => {
        const rows = logged(desktop);
        return calls(rows).length === 2 && rows;
      }, "the next call in the log");
      assert.deepEqual(after.slice(0, before.length), before);
      assert.deepEqual(calls(after), ["there was room", "room again"]);
      const gaps = after.filter(({ kind }) => kind === "gap").map(({ body }) => JSON.parse(body));
      // Each call has a verdict, the request and its answer.
      assert.deepEqual(
        gaps.map(({ count, reason }) => [count, reason]),
        [[6, "the disk is full"]],
      );
      assert.equal(integrity(desktop), "ok");
      assert.deepEqual(wrong, []);
    },
    { program: SMALL_DISK },
  ));

test("a disk that is full at the start is named, and room made on it is all that the window needs", () =>
  withWindow(
    "disk-full-at-start",
    async (desktop) => {
      const { session } = desktop;
      await session.shows(t("common:startup.disk_full.title"));
      await session.shows(`no room is left on the disk that holds ${desktop.home}`);
      const wrong = await show(session, "disk-full-at-start");
      rmSync(join(inside(desktop), "filler"));
      await (await session.byRole("button", t("common:startup.again"))).click();
      await startDemo(session);
      assert.deepEqual(wrong, []);
    },
    { program: SMALL_DISK, env: { DISK_IS_FULL: "1" } },
  ));

test("a read-only data folder is named with the way out, in both themes", () =>
  withWindow(
    "read-only-data",
    async ({ session }) => {
      await session.shows(t("common:startup.read_only.title"));
      await session.shows("/sys/mooring");
      await session.shows("MOORING_HOME");
      assert.deepEqual(await show(session, "read-only-data"), []);
    },
    // No one can create a folder there, not even root.
    { env: { MOORING_HOME: "/sys/mooring" } },
  ));

test("a database that is deleted while the window is open takes nothing more, and is put back at the next start", () =>
  withWindow("deleted-database", async (desktop) => {
    await startDemo(desktop.session);
    await echo(desktop.session, "before");
    rmSync(join(desktop.home, "mooring.db"));
    await echo(desktop.session, "after");
    await desktop.session.shows(t("common:status.journalFailing"), { timeout: 30_000 });
    await desktop.restart();
    const { session } = desktop;
    await session.shows(t("common:startup.database_missing.title"), { timeout: 30_000 });
    const wrong = await show(session, "deleted-database");
    await (await session.byRole("button", t("common:startup.restore"))).click();
    await session.byRole("row", /^Demo.*Ready/, { timeout: 30_000 });
    const [backup] = JSON.parse(mooringOk(desktop, "restore", "--json")).result;
    assert.equal(backup.number, 1);
    assert.deepEqual(wrong, []);
  }));
