// Accessibility of the page: axe-core with the rules of WCAG 2.2 A and AA.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCE = readFileSync(fileURLToPath(new URL("../../ui/node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");

/** The rules that depend on colours. */
const COLOURS = ["color-contrast", "link-in-text-block"];
const ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const RUN = `
const done = arguments[arguments.length - 1];
// A colour in transition is not a design choice.
for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
axe.run(document, { runOnly: arguments[0], resultTypes: ["violations"] }).then(
  ({ violations, passes, incomplete }) => done({ violations, rules: passes.length + violations.length + incomplete.length }),
  (error) => done({ error: String(error) }),
);
`;

/** All violations on the current page, as text. With `colours`, only those of the colour rules. */
export async function violationsOf(session, where, { colours = false } = {}) {
  if (!(await session.execute("return typeof axe === 'object'"))) {
    await session.execute(`${SOURCE}\nwindow.axe = axe;`);
  }
  await session.settled();
  const { violations, rules, error } = await session.executeAsync(RUN, colours ? COLOURS : ALL);
  assert.equal(error, undefined, `${where}: axe did not run`);
  assert.ok(rules > (colours ? 0 : 20), `${where}: axe checked next to nothing`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${where}: ${id} (${help}) at ${target.join(" ")}: ${failureSummary}`),
  );
}
