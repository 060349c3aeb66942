import { describe, expect, it } from "vitest";
import { hitsInJson, hitsInText, MOST_HITS } from "./json-hits";

const found = (text: string, needle: string) =>
  hitsInJson(text, needle).map(({ start, offset, length }) => [text.slice(start, start + 4), offset, length]);

describe("where a search stands in a JSON text", () => {
  it("is in keys and values as they read", () => {
    expect(found('{"Ada":"no","n":["x ada ADA",4711,null],"e":"\\u0041da\\n"}', "ada")).toEqual([
      ['"Ada', 0, 3],
      ['"x a', 2, 3],
      ['"x a', 6, 3],
      ['"\\u0', 0, 3],
    ]);
    expect(found('{"n":[4711,null]}', "71")).toEqual([["4711", 1, 2]]);
    expect(found('{"a.b":"a+b","c":"a\\\\b"}', "a.b")).toEqual([['"a.b', 0, 3]]);
    expect(found('{"a":"line\\nend"}', "n")).toEqual([
      ['"lin', 2, 1],
      ['"lin', 6, 1],
    ]);
  });

  it("is not across values, and anywhere in what is no JSON", () => {
    expect(hitsInJson('{"a":[1,2]}', '"a":[')).toEqual([]);
    expect(hitsInJson('{"a":[1,2', '"a":[')).toEqual([{ start: 0, offset: 1, length: 5 }]);
    expect(hitsInText("WARN Ada", "ada")).toEqual([{ start: 0, offset: 5, length: 3 }]);
  });

  it("is counted up to a limit", () => {
    expect(hitsInJson(`["${"a".repeat(5_000)}"]`, "a")).toHaveLength(MOST_HITS);
  });
});
