import { expect, it } from "vitest";
import { fieldsOf, tellsMore } from "./saying";

it("reads the scalar members of a body of ours", () => {
  expect([...fieldsOf('{"decision":"allow","rule":null,"n":3,"more":{"a":1}}')]).toEqual([
    ["decision", "allow"],
    ["n", "3"],
  ]);
});

it("reads the beginning that a preview holds", () => {
  expect(fieldsOf('{"from":"starting","to":"failed","reason":"could not conn').get("reason")).toBe("could not conn");
});

it("reads nothing out of anything else", () => {
  expect([...fieldsOf("plain words"), ...fieldsOf("[1,2"), ...fieldsOf('{"a":')]).toEqual([]);
});

it("knows when a body holds more than was told", () => {
  expect(tellsMore('{"decision":"allow","rule":null}', ["decision"])).toBe(false);
  expect(tellsMore('{"decision":"allow","arguments":{"a":1}}', ["decision"])).toBe(true);
  expect(tellsMore("plain words", [])).toBe(true);
});
