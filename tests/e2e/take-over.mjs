// Takes the servers of all apps over in the window, and connects the apps: the sheet of the first start.

import { words } from "./person.mjs";
import { until } from "./webdriver.mjs";

const t = words("en");
const LONGEST_START = 60_000;

/**
 * Takes `count` servers over and approves all of their tools. `press` clicks an element that may still have to appear,
 * and `look` runs at the end of each step, before its button is pressed.
 */
export async function takeOver(session, count, { press, look = () => {} }) {
  const go = () => press(session.byCss("[role=dialog] footer button:last-child:enabled"));
  await press(session.byRole("button", t("apps:takeOver.action")));
  await session.byRole("dialog", t("apps:takeOver.title"));
  await look("plan");
  await go();
  await session.byRole("dialog", t("apps:takeOver.approve.title_other").replace("{{count, number}}", `${count}`), {
    timeout: LONGEST_START,
  });
  const marks = `return document.querySelectorAll('[role=dialog] [data-state-mark=ready]').length === ${count}`;
  // Tools that load later are not approved with the rest.
  const areRead = async () => !(await session.pageText()).includes("ready yet");
  const ready = async () => (await session.execute(marks)) && areRead();
  await until(ready, `${count} servers that are ready and read`, LONGEST_START);
  await look("approve");
  // Read-only tools are preselected, but this person wants everything.
  await press(session.byRole("radio", t("apps:gets.all_other")));
  await go();
  await session.byRole("dialog", new RegExp(t("apps:takeOver.restart").replace("{{apps}}", ".*")));
}
