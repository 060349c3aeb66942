// A start with a locked vault in the real window: servers that need it are locked, not failed.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { violationsOf } from "./axe.mjs";
import { pictures } from "./desktop.mjs";
import { goTo, mooring, mooringOk, startsWith, wear, withWindow, words } from "./person.mjs";
import { Key, until } from "./webdriver.mjs";

const t = words("en");
const SERVER = fileURLToPath(new URL("asking-server.mjs", import.meta.url));
const PASSPHRASE = "correct horse battery";
const TEXT = "Enter your passphrase to use 1 saved login or secret.";

test("servers with secrets are locked after a start, and start once the passphrase is entered", () =>
  withWindow("locked", async (desktop) => {
    let { session } = desktop;
    const file = (name, text) => {
      const path = join(desktop.directory, name);
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    };
    const passphrase = file("passphrase", PASSPHRASE);
    mooringOk(desktop, "vault", "rekey", "--to", "passphrase", "--passphrase-file", passphrase);
    const secret = `HARBOUR=@${file("secret", "first-value")}`;
    desktop.env.MOORING_PASSPHRASE_FILE = passphrase;
    mooringOk(desktop, "add", "asking", "--era", "session", "--secret-env", secret, "--", process.execPath, SERVER);
    delete desktop.env.MOORING_PASSPHRASE_FILE;
    await desktop.restart();
    session = desktop.session;

    await session.byRole("row", new RegExp(`^asking.*${t("common:state.locked")}`), { timeout: 30_000 });
    await session.shows(TEXT);
    assert.match(await session.pageText(), /1 locked/);
    assert.doesNotMatch(await session.pageText(), /\d failed/);
    assert.match(mooring(desktop, "list").stdout, /locked/);
    const wrong = [];
    for (const theme of ["light", "dark"]) {
      await wear(session, theme);
      for (const [width, height] of [
        [900, 600],
        [1280, 800],
      ]) {
        await session.resize(width, height);
        await session.screenshot(join(pictures(), `locked-servers-${theme}-${width}x${height}.png`));
      }
      wrong.push(...(await violationsOf(session, `locked-${theme}`)));
    }
    await goTo(session, "inbox");
    await session.byRole("heading", t("vault:dialog.enter"));
    await session.shows(TEXT);
    await session.screenshot(join(pictures(), "locked-inbox.png"));
    wrong.push(...(await violationsOf(session, "locked-inbox")));

    await (await session.byRole("button", startsWith(t("vault:banner.enter")))).click();
    await (await session.byCss("[role=dialog] input[type=password]")).fill(PASSPHRASE);
    await session.press(Key.Enter);
    await session.byRole("heading", t("inbox:empty.title"), { timeout: 30_000 });
    await goTo(session, "servers");
    await session.byRole("row", /^asking.*Ready/, { timeout: 30_000 });
    await until(async () => !(await session.pageText()).includes(TEXT), "the banner to go");
    assert.deepEqual(wrong, []);
  }));
