import { describe, expect, it } from "vitest";
import { formatAgo, formatBytes, formatMs } from "./format";
import { indentJson, jsonTokens } from "./json-tokens";

describe("figures", () => {
  it("say durations as people do", () => {
    expect([0.42, 4, 184, 999.6, 1904, 12_400, 61_000, 3_600_000].map((ms) => formatMs(ms, "en"))).toEqual([
      "0.42 ms",
      "4 ms",
      "184 ms",
      "1 s",
      "1.9 s",
      "12 s",
      "1 min 1 s",
      "1 h",
    ]);
    expect([4, 1904, 60_000, 61_000, 3_600_000, 3_900_000].map((ms) => formatMs(ms, "zh-CN"))).toEqual([
      "4 ms",
      "1.9 秒",
      "1 分钟",
      "1 分 1 秒",
      "1 小时",
      "1 小时 5 分",
    ]);
  });
  it("say how long ago something was, and never that it is yet to come", () => {
    const now = 1_000_000_000_000;
    expect(formatAgo(now, now, "zh-CN")).toBe("刚刚");
    expect([0, 4, 125, 7_200, -2].map((seconds) => formatAgo(now - seconds * 1_000, now, "en"))).toEqual([
      "now",
      "4 seconds ago",
      "2 minutes ago",
      "2 hours ago",
      "now",
    ]);
  });
  it("say sizes in binary steps", () => {
    expect([0, 312, 2150, 4 * 1024 ** 2, 1024 ** 3].map((bytes) => formatBytes(bytes, "en"))).toEqual([
      "0 B",
      "312 B",
      "2.1 KiB",
      "4 MiB",
      "1 GiB",
    ]);
  });
});

describe("JSON text", () => {
  it("is laid out without changing a token", () => {
    expect(indentJson('{"a":[1.0,{"b":"x\\u0041"}],"c":{},"d":[]}')).toBe(
      '{\n  "a": [\n    1.0,\n    {\n      "b": "x\\u0041"\n    }\n  ],\n  "c": {},\n  "d": []\n}',
    );
  });
  it("is cut into runs that together are the text, even when it is broken", () => {
    for (const text of ['{"a": 1}', '{"a": "unclosed', "[1,2,,}", "not json at all", '"\\"" : true'])
      expect(
        jsonTokens(text)
          .map((token) => token.text)
          .join(""),
      ).toBe(text);
    expect(jsonTokens('{"a" : "b", "c": -1e5}').filter((token) => token.kind !== "plain")).toEqual([
      { kind: "key", text: '"a"' },
      { kind: "string", text: '"b"' },
      { kind: "key", text: '"c"' },
      { kind: "value", text: "-1e5" },
    ]);
  });
});
