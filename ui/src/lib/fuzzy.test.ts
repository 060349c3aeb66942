import { describe, expect, it } from "vitest";
import { match, nearest, words } from "./fuzzy";

const score = (query: string, title: string, ...also: string[]): number =>
  match(words(query), title, also)?.score ?? Number.NEGATIVE_INFINITY;
const marked = (query: string, title: string): string => {
  const at = new Set(match(words(query), title)?.at);
  return Array.from(title, (letter, index) => (at.has(index) ? `[${letter}]` : letter)).join("");
};

describe("fuzzy search", () => {
  it("finds letters in order and nothing else", () => {
    expect(match(words("rdfl"), "read_file")).not.toBeNull();
    expect(match(words("flrd"), "read_file")).toBeNull();
    expect(match(words("xyz"), "read_file")).toBeNull();
  });

  it.each([
    ["read", "read_file", "spread_file"],
    ["file", "read_file", "profiler"],
    ["rf", "read_file", "surface"],
    ["set", "Settings", "reset_everything"],
    ["act", "Activity", "extract_text"],
    ["query", "query", "query_builder"],
  ])("prefers for %j %j over %j", (query, better, worse) => {
    expect(score(query, better)).toBeGreaterThan(score(query, worse));
  });

  it("wants every word, in any order, in the title or beside it", () => {
    expect(match(words("github issue"), "create_issue", ["github"])).not.toBeNull();
    expect(match(words("issue github"), "create_issue", ["github"])).not.toBeNull();
    expect(match(words("github issue"), "create_issue", ["gitlab"])).toBeNull();
  });

  it("marks what was matched, from the beginnings of words", () => {
    expect(marked("file", "read_file")).toBe("read_[f][i][l][e]");
    expect(marked("crei", "create_issue")).toBe("[c][r][e]ate_[i]ssue");
    expect(marked("issue", "createIssue")).toBe("create[I][s][s][u][e]");
  });

  it("does not take one or two scattered letters for an answer", () => {
    expect(match(words("ae"), "create_table")).toBeNull();
    expect(match(words("ct"), "create_table")).not.toBeNull();
  });

  it("takes letters that lie apart for an answer only in names", () => {
    expect(match(words("sum"), "structure.md")).toMatchObject({ far: true });
    expect(match(words("sum"), "overview", ["The structure of the module"])).toBeNull();
    expect(match(words("sum"), "overview", ["A summary of the module"])).toMatchObject({ far: false });
  });

  it("finds one or two letters in a description where a word begins", () => {
    expect(match(words("be"), "add", ["Add two numbers"])).toBeNull();
    expect(match(words("be"), "add", ["Best of two"])).not.toBeNull();
    expect(match(words("器"), "add", ["添加服务器"])).not.toBeNull();
  });

  it("drops letters that lie apart where something has them in one piece", () => {
    const found = (...titles: string[]) =>
      nearest(
        titles.flatMap((title) => match(words("sum"), title) ?? []),
        (hit) => hit,
      ).length;
    expect(found("structure.md", "startup.md")).toBe(2);
    expect(found("structure.md", "get-sum", "startup.md")).toBe(1);
  });

  it("searches Chinese", () => {
    expect(match(words("服务"), "添加服务器")).not.toBeNull();
    expect(match(words("add"), "添加服务器", ["add server"])).not.toBeNull();
  });
});
