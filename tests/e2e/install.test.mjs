// A missing program is installed from the error card in the real window, with a script as the installer.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { violationsOf } from "./axe.mjs";
import { binary, pictures } from "./desktop.mjs";
import { clickRow, mooringOk, withWindow } from "./person.mjs";
import { until } from "./webdriver.mjs";

function program(path, script) {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

test("uvx is missing: its card installs it after a yes, and the server starts", async () => {
  const place = mkdtempSync(join(tmpdir(), "mooring-install-"));
  const bin = join(place, "bin");
  mkdirSync(bin);
  // The login shell only has this folder on its PATH.
  const shell = join(place, "shell");
  program(shell, `PATH='${bin}'\nexport PATH\neval "$2"`);
  symlinkSync("/usr/bin/printenv", join(bin, "printenv"));
  program(join(place, "server"), `exec '${binary("mooring-demo-server")}'`);
  const installer = `PATH=/usr/bin:/bin\nprintf '\\033[1minstalling\\033[0m %s\\n' "$2"\nsleep 2\ncp '${place}/server' '${bin}/uvx'`;
  program(join(bin, "pipx"), installer);
  try {
    await withWindow(
      "install",
      async (desktop) => {
        const { session } = desktop;
        mooringOk(desktop, "add", "tides", "--", "uvx", "mcp-server-tides");
        await session.byRole("row", /^tides.*Failed/, { timeout: 30_000 });
        await clickRow(session, /^tides/);
        await session.shows(`${join(bin, "pipx")} install uv`);
        await session.screenshot(join(pictures(), "install-offer.png"));
        assert.deepEqual(await violationsOf(session, "the offer"), []);
        const yes = await session.byRole("button", /^Install uv/);
        await until(() => session.execute("return arguments[0].dataset.armed === 'true'", yes), "the yes to count");
        await yes.click();
        await session.shows("installing uv");
        await session.screenshot(join(pictures(), "install-running.png"));
        await session.byRole("row", /^tides.*Ready/, { timeout: 30_000 });
        await session.shows(/uv is installed/);
        await session.screenshot(join(pictures(), "install-done.png"));
        assert.deepEqual(await violationsOf(session, "the end"), []);
      },
      { env: { SHELL: shell } },
    );
  } finally {
    rmSync(place, { recursive: true });
  }
});
