import { describe, expect, it } from "vitest";
import { at, countOf, type JsonNode, JsonScanError, membersOf, rootOf, runsOf, scalarOf, sliceOf, stringAt } from "./json-scan";
import type { JsonNode as Tree } from "./schema/json";
import { parseJson } from "./schema/parse";

const keys = (text: string) => [...membersOf(text, rootOf(text))].map((member) => member.key);
const values = (text: string) => [...membersOf(text, rootOf(text))].map((member) => scalarOf(text, member.value));

describe("reading JSON lazily", () => {
  it("keeps the digits of numbers that a double cannot hold", () => {
    expect(values('{"a":12345678901234567890,"b":1.10,"c":-0e-5}')).toEqual(["12345678901234567890", "1.10", "-0e-5"]);
  });

  it("keeps duplicate keys in their order", () => {
    expect(keys('{"b":1,"a":2,"b":3}')).toEqual(["b", "a", "b"]);
  });

  it("decodes strings and is not confused by quotes, backslashes and brackets in them", () => {
    const text = String.raw`{"a\"]":"x\\","b":["}","\u4f60"]}`;
    expect(keys(text)).toEqual(['a"]', "b"]);
    const array = at(text, "b");
    expect(array?.kind).toBe("array");
    expect(array && [...membersOf(text, array)].map((member) => scalarOf(text, member.value))).toEqual(["}", "你"]);
  });

  it("shows a string with an unknown escape as it was sent", () => {
    expect(values(String.raw`["\x41"]`)).toEqual([String.raw`\x41`]);
  });

  it("reads no more members than asked for", () => {
    const text = JSON.stringify(Array.from({ length: 1000 }, (_, index) => index));
    const slice = sliceOf(text, rootOf(text), 3);
    expect(slice.members.map((member) => scalarOf(text, member.value))).toEqual(["0", "1", "2"]);
    expect(slice.more).toBe(true);
    expect(sliceOf(text, rootOf(text), 1000).more).toBe(false);
  });

  it("counts only what is small enough", () => {
    expect(countOf("[1, 2, 3]", rootOf("[1, 2, 3]"))).toBe(3);
    expect(countOf("[1, 2, 3]", rootOf("[1, 2, 3]"), 4)).toBeNull();
    expect(countOf("{ }", rootOf("{ }"))).toBe(0);
  });

  it.each(["", "hello", "{", '{"a":1', '{"a":1]', "[1] x", '"open', '{"a" 1}', "[1,]", "[1 2]", "{1:2}", "tru"])(
    "says where %j stops being JSON",
    (text) => {
      expect(() => [...membersOf(text, rootOf(text))]).toThrow(JsonScanError);
    },
  );

  it("finds a value by its path, or nothing", () => {
    expect(stringAt('{"a":{"b":"c"}}', "a", "b")).toBe("c");
    expect(stringAt('{"a":{"b":1}}', "a", "b")).toBeNull();
    expect(stringAt("not json", "a")).toBeNull();
  });

  it("opens one level of four megabytes", () => {
    const text = `{"jsonrpc":"2.0","result":${JSON.stringify(Array.from({ length: 60_000 }, (_, id) => ({ id, name: `row "${id}"`, tags: ["a", "b"] })))}}`;
    const result = at(text, "result");
    expect(result && sliceOf(text, result, 100).members.length).toBe(100);
  });
});

/** The kinds, positions and keys of all values, read lazily. */
function lazily(text: string, node: JsonNode = rootOf(text)): string[] {
  return [
    `${node.kind} ${node.start}-${node.end}`,
    ...[...membersOf(text, node)].flatMap(({ key, value }) => [key ?? "", ...lazily(text, value)]),
  ];
}
/** The kinds, positions and keys of a tree that was parsed at once. */
function atOnce(node: Tree): string[] {
  const members = node.kind === "object" ? node.members : node.kind === "array" ? node.items.map((value) => ({ key: "", value })) : [];
  return [`${node.kind} ${node.from}-${node.to}`, ...members.flatMap(({ key, value }) => [key, ...atOnce(value)])];
}

describe("the one scanner", () => {
  it.each([
    ' {"a":[1.50,-0e-5,{}, [] ],"a":"x\\\\","b\\"]":true,"":null,"\u4f60":"{[\\u007d"} ',
    '[[[[[]]]],{"a":{"b":[false]}}]',
    '"\\"\\\\"',
    "12345678901234567890",
  ])("finds the same values in %j lazily, as a tree and as runs", (text) => {
    const parsed = parseJson(text);
    expect(parsed.ok && atOnce(parsed.node)).toEqual(lazily(text));
    const runs = [...runsOf(text)];
    expect(runs.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
    // Every leaf is a run.
    const places = new Set(runs.map(({ kind, start, end }) => `${kind} ${start}-${end}`));
    expect(lazily(text).filter((found) => /^(?:string|number|boolean|null) \d/.test(found) && !places.has(found))).toEqual([]);
  });

  it("says no sooner than the tree that a text is broken, and takes what is broken as runs", () => {
    for (const text of ['{"a":tru}', "[01]", '["a', "[1}", '{"a":+1}', "[.5]"]) {
      expect([text, parseJson(text).ok]).toEqual([text, false]);
      expect([...runsOf(text)].at(-1)?.end).toBe(text.length);
    }
  });

  it.each([
    ["brackets", "[".repeat(2_000_000)],
    ["objects", '{"a":'.repeat(400_000)],
    ["backslashes", `"${"\\\\".repeat(1_000_000)}`],
    ["quotes", '"\\""'.repeat(400_000)],
  ])("is through with millions of %s at once", (_, text) => {
    const begun = performance.now();
    expect(parseJson(text).ok).toBe(false);
    expect(() => [...membersOf(text, rootOf(text))]).toThrow(JsonScanError);
    expect([...runsOf(text)].at(-1)?.end).toBe(text.length);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
