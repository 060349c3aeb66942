import { describe, expect, it } from "vitest";
import { at, countOf, JsonScanError, membersOf, rootOf, scalarOf, sliceOf, stringAt } from "./json-scan";

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
