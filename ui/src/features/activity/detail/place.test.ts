import { describe, expect, it } from "vitest";
import { placeIn } from "./place";

describe("where a text stands in a message", () => {
  const body = '{"id":7,"result":{"content":[{"type":"text"},{"text":"line one\\nAda sails"}],"n":4711}}';
  it.each([
    ["ada", { path: "result.content[1].text", around: "line one\nAda sails" }],
    ["4711", { path: "result.n", around: "4711" }],
    // A match across several values, or only in the raw text.
    ['"content":[', { path: "result", around: body }],
    ["one\\nAda", { path: "result.content[1].text", around: body }],
  ])("is the value that has it: %s", (needle, place) => {
    expect(placeIn(body, needle)).toEqual(place);
  });

  it("is the whole text of what is no JSON", () => {
    expect(placeIn("WARN Ada", "ada")).toEqual({ path: "", around: "WARN Ada" });
    expect(placeIn('{"a":[1,{"b":"Ada"', "ada")).toEqual({ path: "", around: '{"a":[1,{"b":"Ada"' });
  });
});
