// A second start on the same data in the real window, without a session bus: it uses the first one's window.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { binary, pictures } from "./desktop.mjs";
import { withWindow, words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
/** The longest time of a start without a window, even on a busy machine. */
const SOON_MS = 20_000;

/** Starts the application again. `printed` has its output so far. */
function start(desktop, ...args) {
  const child = spawn(binary("mooring-desktop"), args, { cwd: desktop.directory, env: desktop.env, stdio: ["ignore", "ignore", "pipe"] });
  const second = { child, printed: "" };
  child.stderr.setEncoding("utf8").on("data", (text) => (second.printed += text));
  return second;
}

/** Starts the application again and waits until it ends. Returns its exit code. */
async function startAndEnd(desktop, ...args) {
  const { child } = start(desktop, ...args);
  const [code] = await once(child, "exit", { signal: AbortSignal.timeout(SOON_MS) });
  return code;
}

/** The values of the page's fields. */
const fields = (session) => session.execute("return [...document.querySelectorAll('[role=dialog] input')].map((field) => field.value)");

test("a second start raises the window and opens there what it was given", () =>
  withWindow(
    "second-start",
    async (desktop) => {
      const { session } = desktop;
      await session.byCss("main[aria-label]");
      const windows = () => desktop.windows().filter(({ title }) => title?.startsWith("Mooring")).length;
      const before = windows();
      assert.equal(await startAndEnd(desktop), 0);

      assert.equal(await startAndEnd(desktop, "mooring:https://harbour.test/mcp"), 0);
      await session.byRole("dialog", t("servers:add.title"));
      await until(async () => (await fields(session)).includes("https://harbour.test/mcp"), "the URL in the dialog");
      await session.screenshot(join(pictures(), "second-start-url.png"));

      // A relative path means the folder of the second start.
      writeFileSync(join(desktop.directory, "servers.json"), '{"mcpServers":{"lamp":{"command":"lamp-of-the-harbour"}}}');
      assert.equal(await startAndEnd(desktop, "servers.json"), 0);
      await session.shows("lamp-of-the-harbour");
      await session.screenshot(join(pictures(), "second-start-import.png"));

      // A link only opens the review of its server, with each argument in sight.
      const config = Buffer.from('{"command":"npx","args":["-y","@harbour/tide\u200b"]}').toString("base64");
      for (const link of [
        `mooring:add?name=tide&config=${config}`,
        `cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config=${config}`,
      ]) {
        assert.equal(await startAndEnd(desktop, link), 0);
        await session.shows(/a link for (Mooring|Cursor)/);
        await session.shows("@harbour/tide");
        await session.shows(/200B/i);
        await session.screenshot(join(pictures(), `second-start-link-${link.split(":")[0]}.png`));
      }
      assert.equal(await startAndEnd(desktop, "mooring:open/inbox"), 0);
      await until(() => session.execute("return location.pathname + location.hash").then((at) => at.includes("/inbox")), "the Inbox");

      assert.equal(await startAndEnd(desktop, "notes.pdf"), 0);
      await session.shows(/notes\.pdf is neither a link to a server nor a file with servers/);
      assert.equal(windows(), before);
      assert.equal(desktop.processes("mooring-desktop").length, 1);
    },
    { env: { DBUS_SESSION_BUS_ADDRESS: undefined } },
  ));

test("a second start says that the window is open where the first does not answer", () =>
  withWindow("second-start-deaf", async (desktop) => {
    await desktop.session.byCss("main[aria-label]");
    const [first] = desktop.processes("mooring-desktop");
    process.kill(Number(first), "SIGSTOP");
    const second = start(desktop);
    try {
      await until(() => second.printed.includes("already_open"), "the error of the second start", SOON_MS);
    } finally {
      const gone = once(second.child, "exit");
      second.child.kill("SIGKILL");
      await gone;
      process.kill(Number(first), "SIGCONT");
    }
    await desktop.session.byCss("main[aria-label]");
  }));
