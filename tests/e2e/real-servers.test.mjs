// Third-party servers in the real window: added with the form, called in the Workbench, renamed, removed and restored.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { everything, freePort, installed } from "./desktop.mjs";
import { address, clickRow, goTo, mooringOk, openTab, openTool, run, startsWith, toolIsOpen, withWindow } from "./person.mjs";
import { until } from "./webdriver.mjs";

/** A PATH with the virtual environment's Python first, as after `activate`. */
const activated = () => ({ PATH: `${dirname(installed("venv/bin/python3"))}:${process.env.PATH}` });

/** As in the documentation, at the version that the other tests use and with its own cache. */
function npx() {
  const name = "@modelcontextprotocol/server-everything";
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../servers/package.json"), "utf8"));
  return `npx --cache ${join(process.env.MOORING_SERVERS, "npx")} -y ${name}@${dependencies[name]}`;
}

/** Runs server-everything over Streamable HTTP while `work` runs. */
async function withEverything(work) {
  const port = await freePort();
  const options = { env: { ...process.env, PORT: String(port) }, stdio: ["ignore", "ignore", "pipe"] };
  const server = spawn(process.execPath, [everything(), "streamableHttp"], options);
  const gone = once(server, "exit");
  const said = [];
  try {
    await new Promise((resolve, reject) => {
      const lines = createInterface({ input: server.stderr });
      lines.on("line", (line) => {
        said.push(line);
        if (line.includes("listening on port")) resolve();
      });
      lines.on("close", () => reject(new Error(`server-everything does not listen: ${said.join("\n")}`)));
    });
    await work(`http://127.0.0.1:${port}/mcp`);
  } finally {
    server.kill();
    await gone;
  }
}

/** A git repository with one commit. */
function repository(directory, message) {
  mkdirSync(directory);
  const git = (...args) => {
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"];
    const done = spawnSync("git", [...identity, ...args], { cwd: directory, encoding: "utf8" });
    assert.equal(done.status, 0, `git ${args.join(" ")}: ${done.stderr}`);
  };
  git("init", "--quiet");
  writeFileSync(join(directory, "log.txt"), "fair wind\n");
  git("add", "log.txt");
  git("commit", "--quiet", "--message", message);
}

const row = (name, words) => new RegExp(`^${name}.*${words}`);

/** Fills in the form for a new server, submits it and waits until the server is ready. */
async function add(session, { way, field, text, name, revision }) {
  await goTo(session, "servers");
  await (await session.byRole("button", /^Add server|Add by command or URL/)).click();
  const dialog = await session.byRole("dialog", "Add server");
  const within = { within: dialog };
  await (await session.byRole("radio", way, within)).click();
  await (await session.byRole("textbox", field, within)).fill(text);
  await (await session.byRole("textbox", "Name", within)).fill(name);
  await (await session.byRole("button", /^Add and (?:start|connect)/, within)).click();
  await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
  await session.byRole("row", row(name, "Ready"), { timeout: 60_000 });
  await clickRow(session, row(name, "Ready"));
  const details = `aside[aria-label="Details of “${name}”"]`;
  await session.byCss(details);
  // The connection details are collapsed.
  const shown = () => session.execute("return document.querySelector(arguments[0]).textContent", details);
  await until(async () => (await shown()).includes(revision), `${name} to speak ${revision}`);
}

/** Searches for a tool in the Workbench, and opens it. */
async function findTool(session, tool) {
  await goTo(session, "workbench");
  await (await session.byRole("textbox", "Search tools, resources and prompts")).fill(tool);
  await openTool(session, tool);
}

/** The saved servers by name, as another process sees them. */
function saved(desktop) {
  const { result } = JSON.parse(mooringOk(desktop, "list", "--json"));
  return new Map(result.map((server) => [server.name, server]));
}

test("server-everything is added by the command of its documentation, called and renamed", () =>
  withWindow("real-stdio", async (desktop) => {
    const { session } = desktop;
    await add(session, { way: "Command", field: "Command", text: npx(), name: "Everything", revision: "2025-11-25" });
    await findTool(session, "echo");
    await (await session.byRole("textbox", "message")).fill("ahoy 青岛");
    await run(session);
    await session.shows("Echo: ahoy 青岛");
    await findTool(session, "get-sum");
    await (await session.byRole("textbox", "a")).fill("2");
    await (await session.byRole("textbox", "b")).fill("40");
    await run(session);
    await session.shows("The sum of 2 and 40 is 42.");

    await goTo(session, "servers");
    await clickRow(session, row("Everything", "Ready"));
    const details = await session.byCss('aside[aria-label="Details of “Everything”"]');
    await openTab(session, "Settings");
    await (await session.byRole("textbox", "Name", { within: details })).fill("All of it");
    await (await session.byRole("button", /^Save$/, { within: details })).click();
    await session.byRole("row", row("All of it", "Ready"), { timeout: 60_000 });
    await session.byCss('aside[aria-label="Details of “All of it”"]');
    assert.deepEqual([...saved(desktop).keys()], ["All of it"]);
    const { id } = saved(desktop).get("All of it");
    await address(session, `/workbench?server=${id}&tool=echo`);
    await toolIsOpen(session, "echo");
    await (await session.byRole("textbox", "message")).fill("under a new name");
    await run(session);
    await session.shows("Echo: under a new name");
  }));

// Requirements: COMP-01, COMP-03, PROM-01, SUB-15, TSKX-04.
test("server-everything completes a prompt, announces changes of a resource, and takes a call on as a task", () =>
  withWindow("real-offers", async (desktop) => {
    const { session } = desktop;
    await add(session, { way: "Command", field: "Command", text: `node ${everything()}`, name: "Everything", revision: "2025-11-25" });
    const { id } = saved(desktop).get("Everything");

    await address(session, `/workbench?server=${id}&prompt=completable-prompt`);
    for (const [name, value] of [
      ["department", "Engineering"],
      ["name", "Bob"],
    ]) {
      await (await session.byRole("combobox", name)).click();
      await (await session.byRole("option", value)).click();
    }
    await (await session.byRole("button", /^Get prompt/)).click();
    await session.shows("Please promote Bob to the head of the Engineering team.");

    const guide = "demo://resource/static/document/architecture.md";
    await address(session, `/workbench?server=${id}&resource=${encodeURIComponent(guide)}`);
    await (await session.byRole("switch", "Subscribe")).click();
    await session.shows("No updates yet");
    await (await session.byRole("checkbox", "Read again after each update")).click();
    await address(session, `/workbench?server=${id}&tool=toggle-subscriber-updates`);
    await toolIsOpen(session, "toggle-subscriber-updates");
    await run(session);
    await address(session, `/workbench?server=${id}&resource=${encodeURIComponent(guide)}`);
    await session.shows(/\d updates?, (?:last )?at /);
    await session.shows("Everything Server");

    await address(session, `/workbench?server=${id}&tool=simulate-research-query`);
    await (await session.byRole("textbox", "topic")).fill("tides");
    await (await session.byRole("button", /^Run/)).click();
    await address(session, `/workbench?server=${id}&view=tasks`);
    await session.byCss('[data-task-status="completed"]', { timeout: 60_000 });
  }));

test("the git server is added by its command in a virtual environment, reads a log, is removed and brought back", () =>
  withWindow(
    "real-git",
    async (desktop) => {
      const { session } = desktop;
      const directory = join(desktop.directory, "repository");
      repository(directory, "Weigh anchor");
      await add(session, { way: "Command", field: "Command", text: "python3 -m mcp_server_git", name: "Git", revision: "2026-07-28" });
      const readLog = async () => {
        await findTool(session, "git_log");
        await (await session.byRole("textbox", "repo_path")).fill(directory);
        await run(session);
        await session.shows("Weigh anchor");
      };
      await readLog();

      await goTo(session, "servers");
      const before = saved(desktop).get("Git");
      await clickRow(session, row("Git", "Ready"));
      const details = await session.byCss('aside[aria-label="Details of “Git”"]');
      await (await session.byRole("button", "More actions", { within: details })).click();
      await (await session.byRole("menuitem", startsWith("Remove"))).click();
      await session.shows("“Git” was stopped and removed");
      await until(async () => (await session.allByRole("row", row("Git", ""))).length === 0, "the row to go");
      assert.deepEqual([...saved(desktop).keys()], []);
      await (await session.byRole("button", /^Undo/)).click();
      await session.byRole("row", row("Git", "Ready"), { timeout: 60_000 });
      assert.deepEqual(saved(desktop).get("Git"), before);
      await readLog();
    },
    { env: activated() },
  ));

test("server-everything over HTTP is added by its address beside the same server over stdio", () =>
  withEverything((url) =>
    withWindow("real-http", async (desktop) => {
      const { session } = desktop;
      await add(session, { way: "URL", field: "URL", text: url, name: "Remote", revision: "2025-11-25" });
      await add(session, { way: "Command", field: "Command", text: `node ${everything()}`, name: "Local", revision: "2025-11-25" });
      const servers = saved(desktop);
      for (const name of ["Remote", "Local"]) {
        await address(session, `/workbench?server=${servers.get(name).id}&tool=echo`);
        await toolIsOpen(session, "echo");
        await session.shows(`${name} / echo`);
        await (await session.byRole("textbox", "message")).fill(`ahoy ${name}`);
        await run(session);
        await session.shows(`Echo: ahoy ${name}`);
      }
      for (const name of ["Remote", "Local"]) {
        const { result } = JSON.parse(mooringOk(desktop, "logs", "--json", "--server", name, "--text", "ahoy"));
        assert.deepEqual(
          result.map(({ direction, method, status, body }) => [direction, method, status, body.includes(`ahoy ${name}`)]),
          [
            ["out", "tools/call", null, true],
            ["in", "tools/call", "ok", true],
          ],
          name,
        );
      }
    }),
  ));
