// The first day in the real window: Mooring finds apps with servers, takes them over in one step, and the apps call
// tools through the new entries. Disconnecting restores each file.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { binary, everything, installed, pictures } from "./desktop.mjs";
import { DrivenApp, said } from "./driven.mjs";
import { address, withWindow, words } from "./person.mjs";
import { takeOver } from "./take-over.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
const MOST_PRESSES = 8;
const MOST_SECONDS = 90;

/** Three apps' files: two of them have a server in common, and each has its own secret or setting. */
function files(home) {
  const suite = { command: process.execPath, args: [everything()] };
  const folders = installed("npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
  const texts = {
    "claude-code": [
      ".claude.json",
      `${JSON.stringify({ numStartups: 7, mcpServers: { everything: suite, files: { command: process.execPath, args: [folders, home], env: { FILES_TOKEN: "canary-harbour" } } } }, null, 2)}\n`,
    ],
    cursor: [".cursor/mcp.json", `{\n\t// ours\n\t"mcpServers": { "everything": ${JSON.stringify(suite)} }\n}`],
    vscode: [
      ".config/Code/User/mcp.json",
      `{ "servers": { "pier": { "type": "stdio", "command": ${JSON.stringify(binary("mooring-demo-server"))} } }, "inputs": [] }\n`,
    ],
  };
  return Object.fromEntries(Object.entries(texts).map(([id, [path, text]]) => [id, { path: join(home, path), text }]));
}

test("what three apps have is taken over in one sheet, and an app calls a tool of it", async () => {
  const home = mkdtempSync(join(tmpdir(), "mooring-person-"));
  const of = files(home);
  for (const { path, text } of Object.values(of)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  let presses = 0;
  const press = async (element) => {
    presses += 1;
    await (await element).click();
  };
  try {
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
    await withWindow(
      "first-day",
      async (desktop) => {
        const { session } = desktop;
        const began = performance.now();
        await session.shows("Claude Code has 2 servers");
        const look = async (step) => {
          if (step === "approve") return session.screenshot(join(pictures(), "first-day-approve.png"));
          await session.shows("from Claude Code and Cursor");
          for (const { path, text } of Object.values(of)) assert.equal(readFileSync(path, "utf8"), text, "nothing is written unasked");
          assert.ok(!(await session.pageText()).includes("canary"), "a secret stays out of sight");
        };
        await takeOver(session, 3, { press, look });

        const entry = JSON.parse(readFileSync(of["claude-code"].path, "utf8")).mcpServers;
        assert.deepEqual(Object.keys(entry), ["mooring"], "its own entries went with the same change");
        const app = await DrivenApp.open(desktop, entry.mooring);
        try {
          const listed = (await app.run("tools")).map(({ name }) => name);
          for (const server of ["everything", "files", "pier"])
            assert.ok(
              listed.some((name) => name.startsWith(`${server}__`)),
              server,
            );
          assert.equal(said(await app.call("everything__echo", { message: "ahoy" })), "Echo: ahoy");
          const called = t("apps:lead.called").replace("{{apps}}", "“Claude Code”");
          await session.shows(called);
        } finally {
          await app.close();
        }
        const seconds = (performance.now() - began) / 1_000;
        await session.screenshot(join(pictures(), "first-day-called.png"));
        await press(session.byRole("button", t("apps:lead.done")));
        assert.ok(presses <= MOST_PRESSES, `${presses} presses`);
        assert.ok(seconds <= MOST_SECONDS, `${seconds} s`);
        console.log(`three apps taken over, and a tool called: ${presses} presses, ${seconds.toFixed(1)} s`);

        for (const [id, { path, text }] of Object.entries(of)) {
          await address(session, `/apps?id=${id}&open=true`);
          await (await session.byRole("button", t("apps:disconnect.action"))).click();
          await (await session.byCss("[role=dialog] footer button:last-child:enabled")).click();
          await until(() => readFileSync(path, "utf8") === text, `the file of ${id} as it was`);
          await until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");
        }
      },
      { env },
    );
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
