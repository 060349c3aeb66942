// Another app in the real window: what connecting changes is shown and written, and disconnecting brings the file back.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { address, withWindow, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");

/** With comments, members that nobody knows, and no line end at its end. */
const CURSOR = `{
  // Ask Ana before changing this
  "mcpServers": {
    "tides": { "command": "tides-mcp", "args": [], },
  },
  "experimental": { "colour": [1, 2.50, null] }
}`;

/** A person's home folder with Cursor in it, and a window over it. */
async function withCursor(name, work) {
  const home = mkdtempSync(join(tmpdir(), "mooring-person-"));
  const file = join(home, ".cursor", "mcp.json");
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, CURSOR);
    await withWindow(name, (desktop) => work({ session: desktop.session, file }), { env: { HOME: home } });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const title = (key) => t(key).replace("{{name}}", "Cursor");
const closed = (session) => until(async () => (await session.allByRole("dialog")).length === 0, "the dialog to close");

test("an app is connected by the change that was shown, and its file comes back to the byte", async () => {
  await withCursor("apps", async ({ session, file }) => {
    await session.byCss("main[aria-label]");
    await address(session, "/apps?id=cursor&open=true");
    await session.shows(file);

    await (await session.byRole("button", t("apps:connect.action"))).click();
    const change = await session.byRole("dialog", title("apps:connect.title"));
    await session.shows("bridge");
    await session.shows(t("apps:connect.backup").slice(0, 24));
    assert.equal(readFileSync(file, "utf8"), CURSOR, "nothing is written before the person agrees");
    await (await session.byRole("button", t("apps:connect.submit"), { within: change })).click();
    await closed(session);
    const connected = readFileSync(file, "utf8");
    assert.match(connected, /"bridge",\s*"--app",\s*"cursor"/);
    assert.match(connected, /Ask Ana before changing this/);
    assert.match(connected, /\[1, 2\.50, null\]/);

    await (await session.byRole("button", t("apps:disconnect.action"))).click();
    const undo = await session.byRole("dialog", title("apps:disconnect.title"));
    await session.shows(t("apps:disconnect.outcome.restored").slice(0, 24));
    await (await session.byRole("button", t("apps:disconnect.submit"), { within: undo })).click();
    await closed(session);
    assert.equal(readFileSync(file, "utf8"), CURSOR);
    assert.deepEqual(readdirSync(dirname(file)), ["mcp.json"], "no backup is left");
  });
});
