import { describe, expect, it } from "vitest";
import { compareDecimals, isWhole } from "./decimal";
import { sameJson } from "./equal";
import { at, jsonNumber, jsonString, member, pathText, put, renameMember, stringify, type JsonNode } from "./json";
import { parseJson } from "./parse";
import { isNumberText } from "../json-scan";

function read(text: string): JsonNode {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.node;
}
function refused(text: string) {
  const parsed = parseJson(text);
  return parsed.ok ? "accepted" : `${parsed.error.code} ${parsed.error.line}:${parsed.error.column} ${parsed.error.found}`.trim();
}

describe("reading and writing", () => {
  it("gives back numbers, order, repeated keys and odd names as they were written", () => {
    const text = '{"b":12345678901234567890,"2":1.0,"1":-0,"a":1e400,"b":1,"__proto__":{"x":[]},"":null,"t":true}';
    expect(stringify(read(text))).toBe(text);
  });

  it("keeps text that JavaScript would garble", () => {
    expect(stringify(read('"\\ud800 \\u0000 \\/ é 𝄞"'))).toBe('"\\ud800 \\u0000 / é 𝄞"');
  });

  it("indents the way people write JSON", () => {
    expect(stringify(read('{"a":[1,{"b":[]}],"c":{}}'), 2)).toBe('{\n  "a": [\n    1,\n    {\n      "b": []\n    }\n  ],\n  "c": {}\n}');
  });

  it("agrees with JSON.parse on every kind of value", () => {
    for (const text of ["[]", "{}", " [1 , 2\t,\r\n3 ] ", '"\\"\\\\\\b\\f\\n\\r\\t"', "-1.5E+3", "[[[[null]]]]", '\ufeff{"a":false}']) {
      expect(JSON.parse(stringify(read(text)))).toEqual(JSON.parse(text.replace("\ufeff", "")));
    }
  });

  it("knows where each part stands in the text", () => {
    const text = '{ "a": [10, "x"] }';
    const node = at(read(text), ["a", 1]);
    expect(node && text.slice(node.from, node.to)).toBe('"x"');
  });

  it("reads four megabytes quickly", () => {
    const text = `[${Array.from({ length: 60_000 }, (_, index) => `{"id":${index},"name":"row ${index}","ok":true,"x":1.25}`).join(",")}]`;
    expect(text.length).toBeGreaterThan(2_500_000);
    const begun = performance.now();
    expect(parseJson(text).ok).toBe(true);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

describe("errors", () => {
  it.each([
    ["", "empty 1:1"],
    ["  \n ", "empty 2:2"],
    ["{", "unexpectedEnd 1:2"],
    ['{"a":', "unexpectedEnd 1:6"],
    ["[1,\n 2,\n]", "trailingComma 2:3 ,"],
    ['{"a":1,}', "trailingComma 1:7 ,"],
    ["{a:1}", "expectedKey 1:2 a"],
    ["{'a':1}", "singleQuotes 1:2 '"],
    ["['a']", "singleQuotes 1:2 '"],
    ['{"a" 1}', "expectedColon 1:6 1"],
    ['{"a":1 "b":2}', 'expectedComma 1:8 "b"'],
    ['{"a":01}', "badNumber 1:6 01"],
    ["[+1]", "badNumber 1:2 +1"],
    ["[1.]", "badNumber 1:2 1."],
    ["[.5]", "badNumber 1:2 .5"],
    ["[NaN]", "unexpectedCharacter 1:2 NaN"],
    ["[True]", "unexpectedCharacter 1:2 True"],
    ["[undefined]", "unexpectedCharacter 1:2 undefined"],
    ['["a\\x"]', "badEscape 1:4 \\x"],
    ['["\\u12"]', 'badEscape 1:3 \\u12"]'],
    ['["a\n"]', 'unclosedString 1:2 "a'],
    ['["a', 'unclosedString 1:2 "a'],
    ['["\u0001"]', "controlCharacter 1:3 \u0001"],
    ["{} x", "afterEnd 1:4 x"],
    ["[,]", "unexpectedCharacter 1:2 ,"],
  ])("%j is refused as %s", (text, expected) => {
    expect(refused(text)).toBe(expected);
  });

  it("stops at a depth instead of overflowing the stack", () => {
    expect(refused("[".repeat(100_000))).toMatch(/^tooDeep/);
  });
});

describe("edits", () => {
  const base = read('{"a":{"b":[1,2,3]},"z":12345678901234567890}');

  it("replaces a value and leaves the rest untouched", () => {
    expect(stringify(put(base, ["a", "b", 1], jsonNumber("9")) as JsonNode)).toBe('{"a":{"b":[1,9,3]},"z":12345678901234567890}');
  });
  it("makes the containers that are missing", () => {
    expect(stringify(put(base, ["n", "m"], jsonString("x")) as JsonNode)).toBe(
      '{"a":{"b":[1,2,3]},"z":12345678901234567890,"n":{"m":"x"}}',
    );
  });
  it("takes members and items away", () => {
    expect(stringify(put(put(base, ["a", "b", 0], undefined), ["z"], undefined) as JsonNode)).toBe('{"a":{"b":[2,3]}}');
    expect(stringify(put(base, ["nowhere", "at", "all"], undefined) as JsonNode)).toBe(stringify(base));
  });
  it("fills a hole in a list with null", () => {
    expect(stringify(put(read("[]"), [2], jsonNumber("1")) as JsonNode)).toBe("[null,null,1]");
  });
  it("renames a member in its place", () => {
    expect(stringify(renameMember(read('{"a":1,"b":2}'), "a", "c") as JsonNode)).toBe('{"c":1,"b":2}');
  });
  it("never reaches a prototype", () => {
    const node = put(read("{}"), ["__proto__", "polluted"], jsonString("yes")) as JsonNode;
    expect(stringify(node)).toBe('{"__proto__":{"polluted":"yes"}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
    expect(member(read("{}"), "toString")).toBeUndefined();
  });
  it("writes paths the way people do", () => {
    expect(pathText(["rows", 2, "first name", "ok"])).toBe('rows[2]["first name"].ok');
  });
});

describe("numbers", () => {
  it.each([
    ["1", "2", -1],
    ["9007199254740993", "9007199254740992", 1],
    ["1e3", "1000.0", 0],
    ["-5", "3", -1],
    ["-5", "-6", 1],
    ["0", "-0.0", 0],
    ["0.1", "0.10000000000000000001", -1],
    ["1e400", "9e399", 1],
    ["100", "0", 1],
    ["-1", "0", -1],
  ] as const)("%s against %s is %i", (left, right, expected) => {
    expect(compareDecimals(left, right)).toBe(expected);
  });
  it("tells whole numbers from others", () => {
    expect(["1", "1.0", "1e3", "-0", "120e-1", "1.5", "1e-1", "x"].map(isWhole)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });
  it("accepts only JSON's own way of writing them", () => {
    expect(["1", "-1.5e+3", "0", "01", "1.", "+1", ".5", "0x1", "Infinity", ""].map(isNumberText)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
  it("compares by value, objects without order", () => {
    expect(sameJson(read('{"a":1,"b":[1.0]}'), read('{"b":[1],"a":1e0}'))).toBe(true);
    expect(sameJson(read('{"a":1}'), read('{"a":"1"}'))).toBe(false);
    expect(sameJson(read("[1,2]"), read("[2,1]"))).toBe(false);
  });
});
