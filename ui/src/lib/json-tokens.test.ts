import { describe, expect, it } from "vitest";
import { indentJson, jsonTokens } from "./json-tokens";

describe("colouring JSON text", () => {
  it("tells keys, strings and values apart and loses nothing", () => {
    const text = '{"a\\"b": [1.50, "x", true], broken \\ "never closed';
    const tokens = jsonTokens(text);
    expect(tokens.map((token) => token.text).join("")).toBe(text);
    expect(tokens.filter((token) => token.kind !== "plain").map((token) => `${token.kind} ${token.text}`)).toEqual([
      'key "a\\"b"',
      "value 1.50",
      'string "x"',
      "value true",
      'string "never closed',
    ]);
  });

  it("lays out without touching what is written", () => {
    expect(indentJson('{"a":1e3,"b":[],"c":["\\u0041"]}')).toBe('{\n  "a": 1e3,\n  "b": [],\n  "c": [\n    "\\u0041"\n  ]\n}');
  });

  it("reads strings of many megabytes", () => {
    const plain = `"${"a".repeat(16_000_000)}"`;
    const escaped = `"${"\\n".repeat(8_000_000)}`;
    expect(jsonTokens(plain)).toEqual([{ kind: "string", text: plain }]);
    expect(indentJson(escaped)).toBe(escaped);
  });
});
