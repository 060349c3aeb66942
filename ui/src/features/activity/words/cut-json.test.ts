import { describe, expect, it } from "vitest";
import { readCut } from "./cut-json";

describe("JSON that ends anywhere", () => {
  it.each([
    ['{"a":1,"b":[2,3]}', { a: 1, b: [2, 3] }],
    ['{"a":1,"b":[2,', { a: 1, b: [2] }],
    ['{"a":1,"b":[23', { a: 1, b: [] }],
    ['{"a":1,"b":', { a: 1 }],
    ['{"a":1,"be', { a: 1 }],
    ['{"a":{"b":tru', { a: {} }],
    ['{"a":"high wat', { a: "high wat…" }],
    ['{"a":"tide\\', { a: "tide…" }],
    ['{"a":"tide\\u00e', { a: "tide…" }],
    ['{"a":"back\\\\', { a: "back\\…" }],
    ['[{"text":"}]"},{"te', [{ text: "}]" }, {}]],
    [' {\n "a" : "x" ,', { a: "x" }],
    ["", undefined],
    ["oops", undefined],
    ['{"a":b}', undefined],
  ])("is read as far as it goes: %s", (text, value) => {
    expect(readCut(text)?.value).toEqual(value);
  });

  it("reads every beginning of a message", () => {
    const text = JSON.stringify({ id: 7, result: { content: [{ type: "text", text: 'a "b" \\ ü\n⚓' }], n: [1.5, -2e9, null, true] } });
    for (let end = 1; end <= text.length; end += 1) expect([end, readCut(text.slice(0, end))]).not.toEqual([end, null]);
  });

  it("knows what it ends within", () => {
    const json = readCut('{"tools":[{"name":"echo"},{"name":"ad')!;
    const { tools } = json.value as { tools: object[] };
    expect([json.value as object, tools, ...tools].map((part) => json.isCut(part))).toEqual([true, true, false, true]);
    const whole = readCut('{"tools":[]}')!;
    expect(whole.isCut(whole.value as object)).toBe(false);
  });
});
