// What `cargo xtask run --headless` shows: the real window, the demo server in it, one call, one picture.

import { join, relative } from "node:path";
import { Desktop, pictures } from "./desktop.mjs";

const say = (what, words) => console.log(`${what.padEnd(14)}${words}`);

const began = performance.now();
const desktop = await Desktop.start();
const { session } = desktop;
try {
  say("window", `open after ${((performance.now() - began) / 1000).toFixed(1)} s, on a virtual display`);

  await (await session.byRole("button", /^Start the demo server/)).click();
  await session.shows("Ready", { timeout: 30_000 });
  say("demo server", "connected");

  await (await session.byRole("link", /^Workbench/)).click();
  await (await session.byRole("treeitem", /^add\b/)).click();
  await (await session.byRole("textbox", /^a\b/)).fill("19");
  await (await session.byRole("textbox", /^b\b/)).fill("23");
  await (await session.byRole("button", /^Run/)).click();
  await session.shows(/\b42\b/);
  say("tool call", "add {\"a\":19,\"b\":23} answered 42");

  const picture = await session.screenshot(join(pictures(), "headless-run.png"));
  say("screenshot", relative(process.cwd(), picture));
} catch (error) {
  const picture = await session.screenshot(join(pictures(), "headless-run-failed.png")).catch(() => "none");
  console.error(`${error.message}\nscreenshot: ${picture}\nthe page: ${await session.pageText().catch(() => "unknown")}`);
  console.error(`what the window printed:\n${desktop.output()}`);
  process.exitCode = 1;
} finally {
  await desktop.close();
}
