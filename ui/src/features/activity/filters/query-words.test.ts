import { describe, expect, it } from "vitest";
import { isTyping, readQuery, withQuery } from "./query-words";

const facets = { sources: ["Demo", "my server"], apps: ["cursor", "claude-code"], methods: ["tools/call"], total: 9 };

describe("filters that are typed", () => {
  it.each([
    ["app:cursor", { app: "cursor" }, ""],
    ["server:demo", { server: "Demo" }, ""],
    ['server:"my server" tide', { server: "my server" }, "tide"],
    ["status:error status:timeout", { outcome: "error,timed_out" }, ""],
    ["method:tools/call high  water", { method: "tools/call" }, "high water"],
    ["kind:decision KIND:stderr", { kind: "stderr,verdict" }, ""],
    ["method:skills/get", { method: "skills/get" }, ""],
    ['app:"claude code" tide', { app: "claude-code" }, "tide"],
    // Unknown values are search text.
    ["app:nobody tide", {}, "app:nobody tide"],
    ["server:nowhere", {}, "server:nowhere"],
    ["kind:constructor ", {}, "kind:constructor "],
    ["status:constructor", {}, "status:constructor"],
    ["status:odd", {}, "status:odd"],
    ["http://app:8080/x", {}, "http://app:8080/x"],
    ['"app:cursor"', {}, "app:cursor"],
    ['app:cursor "two words"', { app: "cursor" }, "two words"],
    ['"name":"Ada"', {}, '"name":"Ada"'],
    ["two  spaces", {}, "two  spaces"],
  ])("are read: %s", (typed, parts, text) => {
    expect(readQuery(typed, facets)).toEqual({ parts, text });
  });

  it("wait until they are typed", () => {
    expect(["app:", "x status:err", 'server:"my no'].map(isTyping)).toEqual([true, true, true]);
    expect(["app:cursor ", "tide", "app", '"name":"Ada"'].map(isTyping)).toEqual([false, false, false, false]);
  });

  it("join the filters there are", () => {
    expect(withQuery({ serverId: 7, kind: "gap", text: "old", event: 3 }, { server: "Demo" }, "tide")).toEqual({
      server: "Demo",
      kind: "gap",
      text: "tide",
      event: 3,
    });
    expect(withQuery({ serverId: 7, text: "old" }, {}, "")).toEqual({ serverId: 7 });
  });
});
