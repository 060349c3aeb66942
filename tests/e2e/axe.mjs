// Accessibility of what the window shows: axe-core run inside it, by the rules of WCAG 2.2 A and AA.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCE = readFileSync(fileURLToPath(new URL("../../ui/node_modules/axe-core/axe.min.js", import.meta.url)), "utf8");

const RUN = `
const done = arguments[arguments.length - 1];
const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
axe.run(document, { runOnly, resultTypes: ["violations"] }).then(
  ({ violations, passes }) => done({ violations, rules: passes.length + violations.length }),
  (error) => done({ error: String(error) }),
);
`;

/** Every violation that axe finds in what is on screen now, in words. */
export async function violationsOf(session, where) {
  if (!(await session.execute("return typeof axe === 'object'"))) {
    await session.execute(`${SOURCE}\nwindow.axe = axe;`);
  }
  await session.settled();
  const { violations, rules, error } = await session.executeAsync(RUN);
  assert.equal(error, undefined, `${where}: axe did not run`);
  assert.ok(rules > 20, `${where}: axe checked next to nothing`);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${where}: ${id} (${help}) at ${target.join(" ")}: ${failureSummary}`),
  );
}
