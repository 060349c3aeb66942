import { expect, it } from "vitest";
import { claimsOf } from "./annotations";

it.each([
  [null, []],
  ["{}", []],
  ["[]", []],
  ["{", []],
  ['{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":true}', ["readOnly"]],
  ['{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}', ["notReadOnly", "destructive", "openWorld"]],
  ['{"readOnlyHint":"true","openWorldHint":false}', ["closedWorld"]],
])("what %s claims is %j", (text, claims) => {
  expect(claimsOf(text)).toEqual(claims);
});
