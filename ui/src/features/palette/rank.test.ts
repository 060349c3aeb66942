import { Wrench } from "lucide-react";
import { describe, expect, it } from "vitest";
import type { Entry, Group } from "./entry";
import { rank } from "./rank";

const entry = (group: Group, title: string, part: Partial<Entry> = {}): Entry => ({
  id: `${group}:${title}`,
  group,
  title,
  also: [],
  icon: Wrench,
  offered: group !== "tool",
  run: () => undefined,
  ...part,
});

const entries = [
  entry("place", "Servers", { also: ["connections"] }),
  entry("place", "Settings"),
  entry("server", "github"),
  entry("server", "Restart github", { offered: false }),
  entry("tool", "read_file", { also: ["filesystem"] }),
  entry("tool", "create_issue", { also: ["github"] }),
  entry("action", "Theme: dark"),
];

const shape = (query: string, recent: string[] = [], list: readonly Entry[] = entries) =>
  rank(list, query, recent).map(({ group, hits }) => `${group}: ${hits.map((hit) => hit.entry.title).join(", ")}`);

describe("the palette", () => {
  it("offers what is worth offering before anything is typed", () => {
    expect(shape("")).toEqual(["place: Servers, Settings", "server: github", "action: Theme: dark"]);
  });

  it("puts recent choices first, once, and forgets what is gone", () => {
    expect(shape("  ", ["tool:create_issue", "tool:gone", "place:Settings"])).toEqual([
      "recent: create_issue, Settings",
      "place: Servers",
      "server: github",
      "action: Theme: dark",
    ]);
  });

  it("has what was used often behind what was used last", () => {
    const places = ["a", "b", "c", "d", "e", "f", "g"].map((title) => entry("place", title, { offered: false }));
    const history = ["a", "b", "c", "d", "e", "f", "f", "g", "g", "g"].map((title) => `place:${title}`);
    expect(shape("", history, places)).toEqual(["recent: a, b, c, d", "frequent: g"]);
  });

  it("groups answers, the best group and the best answer first", () => {
    expect(shape("github")).toEqual(["server: github, Restart github", "tool: create_issue"]);
    expect(shape("iss")).toEqual(["tool: create_issue"]);
    expect(shape("connections")).toEqual(["place: Servers"]);
  });

  it("finds names by a small word, and no sentences that contain it", () => {
    const some = [entry("place", "Inbox"), entry("server", "Show “git” in Activity"), entry("server", "linear")];
    expect(shape("in", [], some)).toEqual(["place: Inbox", "server: linear"]);
    expect(shape("git in activity", [], some)).toEqual(["server: Show “git” in Activity"]);
  });

  it("puts settings behind what answers as well, and names a few of them", () => {
    const many = Array.from({ length: 6 }, (_, at) => entry("setting", `Alarm ${at}`));
    expect(shape("al", [], [...many, entry("server", "alpha")])).toEqual(["server: alpha", "setting: Alarm 0, Alarm 1, Alarm 2, Alarm 3"]);
  });

  it("prefers a recent choice among equals", () => {
    const two = [entry("tool", "query_a"), entry("tool", "query_b")];
    expect(shape("query", [], two)).toEqual(["tool: query_a, query_b"]);
    expect(shape("query", ["tool:query_b"], two)).toEqual(["tool: query_b, query_a"]);
  });

  it("orders equal answers by use, the shorter first where none was used", () => {
    const list = [entry("tool", "query_one_more"), entry("tool", "query_two"), entry("tool", "query_three")];
    expect(shape("query", [], list)).toEqual(["tool: query_two, query_three, query_one_more"]);
    const history = ["tool:query_three", "tool:query_one_more", "tool:query_one_more", "tool:query_one_more"];
    expect(shape("query", history, list)).toEqual(["tool: query_one_more, query_three, query_two"]);
  });

  it("lets no use win against a clearly better answer", () => {
    const list = [entry("tool", "restart"), entry("tool", "what_restarts_it")];
    expect(
      shape(
        "restart",
        Array.from({ length: 80 }, () => "tool:what_restarts_it"),
        list,
      ),
    ).toEqual(["tool: restart, what_restarts_it"]);
  });

  it("always ends with the offer to search elsewhere", () => {
    const list = [...entries, entry("search", "Search Activity")];
    expect(shape("zzz", [], list)).toEqual(["search: Search Activity"]);
    expect(shape("read", [], list).at(-1)).toBe("search: Search Activity");
  });

  it("finds what restarts, and nothing whose letters lie apart", () => {
    const list = [...entries, entry("resource", "resource-startup.md"), entry("resource", "architecture.md", { also: ["Restart"] })];
    expect(shape("restart", [], list)).toEqual(["server: Restart github", "resource: architecture.md"]);
    expect(shape("rsrt", [], list)).toEqual(["resource: resource-startup.md", "server: Restart github"]);
  });

  it("counts positions over all sections", () => {
    expect(rank(entries, "", []).map((section) => section.first)).toEqual([0, 2, 3]);
  });
});
