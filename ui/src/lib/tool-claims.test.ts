import { expect, it } from "vitest";
import { claimsOf, readHints, saysDestructive } from "./tool-claims";

it.each<[string | null, string[]]>([
  [null, []],
  ["{}", []],
  ["[]", []],
  ["{", []],
  ['{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":true}', ["readOnly"]],
  ['{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}', ["notReadOnly", "destructive", "openWorld"]],
  ['{"readOnlyHint":"true","openWorldHint":false}', ["closedWorld"]],
])("what %s claims is %j", (text, claims) => {
  expect(claimsOf(readHints(text))).toEqual(claims);
  expect(saysDestructive(readHints(text))).toBe(claims.includes("destructive"));
});
