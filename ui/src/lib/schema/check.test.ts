import { expect, it } from "vitest";
import { isError, pointerTo, problemsIn } from "./check";
import { parseJson } from "./parse";

// Requirements: SCH-05.
it("puts what the host says at the places of the value", () => {
  const parsed = parseJson('{"rows":[{"a/b":1}],"0":{"~":2}}');
  if (!parsed.ok) throw new Error(parsed.error.code);
  const at = (pointer: string) =>
    problemsIn({ problems: [{ at: pointer, code: "minimum", detail: "3" }], unchecked: [] }, parsed.node).map(({ path }) => path);
  for (const [pointer, path] of [
    ["", []],
    ["/rows/0/a~1b", ["rows", 0, "a/b"]],
    ["/rows/7/x", ["rows", 7, "x"]],
    ["/0/~0", ["0", "~"]],
    ["/missing/1", ["missing", "1"]],
  ] as const) {
    expect(at(pointer)).toEqual([path]);
    expect(pointerTo(path)).toBe(pointer);
  }
});

it("keeps a name that the schema does not know from being an error", () => {
  expect(isError({ path: ["x"], code: "unknownProperty", detail: null })).toBe(false);
  expect(isError({ path: ["x"], code: "required", detail: null })).toBe(true);
});
