// Actions with the demo server for scenes in the real window.

import { address, ends, startsWith, toolIsOpen } from "../person.mjs";

/** A scene at an address, where DEMO is the id of the demo server, that shows the text of this key. */
export const shows =
  (at, key) =>
  async ({ session, demo, t }) => {
    await address(session, at.replace("DEMO", demo));
    await session.shows(t(key));
  };

/** Opens a tool of the demo server, runs it and waits until it ends. */
export async function runDemo({ session, demo, t }, tool) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await toolIsOpen(session, tool);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await ends(session, "ok");
}

/** Calls a tool that asks, and opens its question. Returns a function that removes the question. */
export async function asksBack({ session, demo, t }, tool, kicker, part) {
  await address(session, `/workbench?server=${demo}&tool=${tool}`);
  await toolIsOpen(session, tool);
  await (await session.byRole("button", startsWith(t("workbench:run.do.tool")))).click();
  await address(session, "/inbox");
  await session.shows(t(kicker), { timeout: 30_000 });
  await session.shows(t(part));
  // The button's colours change when it is enabled.
  await session.byCss("footer button[data-armed=true]");
  return async () => {
    await (await session.byRole("button", startsWith(t("inbox:answer.decline")))).click();
    await session.shows(t("inbox:empty.title"));
  };
}
