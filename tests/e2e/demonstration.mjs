// A minimal demonstration of Mooring: from the empty state to a demo server, one call and one picture.

import { join, relative } from "node:path";
import { pictures } from "./desktop.mjs";

/** Prints a line of the report. */
export const say = (what, words) => console.log(`${what.padEnd(14)}${words}`);

/** Starts the demo server in an empty window, calls one of its tools and takes a picture. */
export async function demonstrate(session, name) {
  await (await session.byRole("button", /^Start the demo server/)).click();
  await session.shows("Ready", { timeout: 30_000 });
  say("demo server", "connected");

  await (await session.byRole("link", /^Workbench/)).click();
  await (await session.byRole("treeitem", /^add\b/)).click();
  await (await session.byRole("textbox", /^a\b/)).fill("19");
  await (await session.byRole("textbox", /^b\b/)).fill("23");
  await (await session.byRole("button", /^Run/)).click();
  await session.shows(/\b42\b/);
  say("tool call", 'add {"a":19,"b":23} answered 42');

  const picture = await session.screenshot(join(pictures(), `${name}.png`));
  say("screenshot", relative(process.cwd(), picture));
}

/** Reports an error with a picture, the page's text and the window's output. Makes the process fail. */
export async function report(error, desktop, name) {
  const { session } = desktop;
  const picture = await session?.screenshot(join(pictures(), `${name}-failed.png`)).catch(() => "none");
  console.error(`${error.message}\nscreenshot: ${picture ?? "none"}`);
  console.error(`the page: ${(await session?.pageText().catch(() => "unknown")) ?? "none"}`);
  console.error(`what the window printed:\n${desktop.output()}`);
  process.exitCode = 1;
}
