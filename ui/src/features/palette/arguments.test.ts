import { describe, expect, it } from "vitest";
import { argumentsText, isWritten, simpleArguments } from "./arguments";

const schema = (properties: object, required: string[] = [], rest: object = {}) =>
  JSON.stringify({ type: "object", properties, required, ...rest });
const names = (text: string | null) => simpleArguments(text)?.map(({ name }) => name) ?? null;

describe("the arguments of a tool", () => {
  it.each([
    ["a text", schema({ path: { type: "string", description: "Where" } }), ["path"]],
    ["what is required first", schema({ a: { type: "integer" }, b: { type: "boolean" } }, ["b"]), ["b", "a"]],
    ["listed texts", schema({ unit: { type: "string", enum: ["C", "F"] } }), ["unit"]],
    ["a list", schema({ tags: { type: "array", items: { type: "string" } } }), null],
    ["an object", schema({ where: { type: "object" } }), null],
    ["several types", schema({ a: { type: ["string", "null"] } }), null],
    ["alternatives", schema({ a: { anyOf: [{ type: "string" }] } }), null],
    ["alternatives of all", schema({ a: { type: "string" } }, [], { oneOf: [] }), null],
    ["a type that every object knows", schema({ a: { type: "constructor" } }), null],
    ["listed numbers", schema({ a: { type: "number", enum: [1, 2] } }), null],
    ["five of them", schema(Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, { type: "string" }]))), null],
    ["none", schema({}), null],
    ["no schema", null, null],
    ["no JSON", "{", null],
  ])("are typed in the palette: %s", (_, text, found) => {
    expect(names(text)).toEqual(found);
  });
  it("are written as JSON, numbers as they were typed, nothing for what is empty", () => {
    const list =
      simpleArguments(schema({ a: { type: "string" }, b: { type: "number" }, c: { type: "boolean" }, d: { type: "string" } })) ?? [];
    const typed = new Map([
      ["a", '"1"'],
      ["b", " 12345678901234567890 "],
      ["c", "true"],
      ["d", ""],
    ]);
    expect(argumentsText(list, typed)).toBe(String.raw`{"a": "\"1\"", "b": 12345678901234567890, "c": true}`);
  });
  it.each([
    ["", true],
    ["-1.5e3", true],
    ["01", false],
    ["two", false],
  ])("are numbers where they have to be: %s", (text, is) => {
    expect(isWritten({ name: "n", type: "number", choices: null, required: true }, text)).toBe(is);
  });
});
