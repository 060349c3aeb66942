import { expect, it } from "vitest";
import { declares, declaresTasks } from "./capabilities";

// Requirements: LIFE-10.
it.each([
  ['{"resources":{"subscribe":true}}', ["resources", "subscribe"], true],
  ['{"resources":{"subscribe":false}}', ["resources", "subscribe"], false],
  ['{"resources":{}}', ["resources"], true],
  ['{"resources":true}', ["resources"], true],
  ['{"resources":null}', ["resources"], false],
  ["{}", ["resources"], false],
  ["not json", ["resources"], false],
  [null, ["resources"], false],
] as [string | null, string[], boolean][])("%s declares %j: %s", (text, path, said) => {
  expect(declares(text, ...path)).toBe(said);
});

it("knows tasks in either form", () => {
  expect(declaresTasks('{"tasks":{}}')).toBe(true);
  expect(declaresTasks('{"extensions":{"io.modelcontextprotocol/tasks":{}}}')).toBe(true);
  expect(declaresTasks('{"tools":{}}')).toBe(false);
});
