import { describe, expect, it } from "vitest";
import { looksMarkdown } from "./markdown";
import { type MarkdownNode, readMarkdown } from "./markdown-nodes";

describe("a text that is Markdown", () => {
  it.each([
    ["a fence", "Run this:\n\n```sh\nls\n```\n"],
    ["a table", "| a | b |\n|---|:-:|\n| 1 | 2 |"],
    ["a link", "See [the docs](https://example.com/docs)."],
    ["a heading over a text", "# Report\n\nAll is well."],
    ["two headings", "intro\n\n## One\n\ntext\n\n## Two\n\ntext"],
    ["a list and bold words", "**Found** two:\n\n- one\n- two\n"],
    ["Windows line ends", "# Report\r\n\r\nAll is well.\r\n"],
  ])("is known by %s", (_, text) => expect(looksMarkdown(text)).toBe(true));

  it.each([
    ["prose", "Echo: hello"],
    ["one list", "- a\n- b"],
    ["comments of a program", "# first\n# second\nx = 1\n"],
    ["a configuration", "# servers\n\nservers:\n- **a**\n- b\n"],
    ["a program", "fn a() {\n    b[0](c);\n}\n#[test]\n"],
    ["a log", "2026-01-01 | INFO | up\n2026-01-01 | WARN | down\n"],
    ["nothing", ""],
  ])("is not %s", (_, text) => expect(looksMarkdown(text)).toBe(false));

  it.each([
    ["pipes", "|".repeat(40_000)],
    ["white space", `---${" ".repeat(40_000)}x`],
    ["fences", "```\u0060x\n".repeat(8_000)],
    ["brackets", "[".repeat(40_000)],
    ["items", "- a\n  b\n".repeat(6_000)],
    ["asterisks", "**a ".repeat(10_000)],
  ])("is looked for quickly among %s", (_, text) => {
    const start = performance.now();
    looksMarkdown(text);
    expect(performance.now() - start).toBeLessThan(500);
  });
});

const textOf = (nodes: readonly MarkdownNode[]): string => nodes.map((node) => node.token.content + textOf(node.children)).join("");
const depthOf = (nodes: readonly MarkdownNode[]): number => Math.max(0, ...nodes.map((node) => 1 + depthOf(node.children)));

// Requirements: SEC-18.
describe("Markdown that is hostile", () => {
  it("is not rendered where quotes are nested too deeply", () => {
    expect(readMarkdown(`${">".repeat(10_000)} deep`)).toBeNull();
    expect(readMarkdown(`${">".repeat(10)} deep`)).not.toBeNull();
    expect(readMarkdown(Array.from({ length: 200 }, (_, at) => `${"  ".repeat(at)}- x`).join("\n"))).toBeNull();
  });
  it("is not rendered where it is too much", () => {
    expect(readMarkdown(`|${"a|".repeat(100)}\n|${"-|".repeat(100)}\n${`|${"x|".repeat(100)}\n`.repeat(400)}`)).toBeNull();
  });
  it("keeps its text where emphasis is nested without end", () => {
    const nodes = readMarkdown(`${"*a **b ".repeat(500)}${"c** d* ".repeat(500)}`) ?? [];
    expect(depthOf(nodes)).toBeLessThan(70);
    expect(textOf(nodes).match(/[abcd]/g)).toHaveLength(2_000);
  });
  it.each([
    ["brackets", "[".repeat(200_000)],
    ["links", "[a](https://b ".repeat(18_000)],
    ["emphasis", "*a _b ".repeat(40_000)],
    ["backticks", Array.from({ length: 700 }, (_, at) => "`".repeat(at)).join(" ")],
    ["addresses", "https://a.b/(".repeat(19_000)],
    ["quotes", ">".repeat(250_000)],
    ["lists", "- ".repeat(125_000)],
    ["references", "[a]: b\n".repeat(36_000)],
    ["entities", "&amp;".repeat(50_000)],
  ])("is read in a bearable time: %s", (_, text) => {
    const start = performance.now();
    readMarkdown(text);
    expect(performance.now() - start).toBeLessThan(4_000);
  });
});
