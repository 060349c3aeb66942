import { expect, it } from "vitest";
import type { ResourceList } from "@/ipc/bindings/ResourceList";
import { isForeign, mayComeOf, resolveLink, resourceFinder } from "./linked-uri";

it.each([
  ["architecture.md", "demo://docs/readme.md", "demo://docs/architecture.md"],
  ["../a.md", "demo://docs/x/readme.md", "demo://docs/a.md"],
  ["/a.md", "file:///home/ana/readme.md", "file:///a.md"],
  ["demo://other/a", "demo://docs/readme.md", "demo://other/a"],
  ["a.md#part", "demo://docs/readme.md", "demo://docs/a.md#part"],
  ["javascript:alert(1)", "demo://docs/readme.md", null],
  ["file:///etc/passwd", "demo://docs/readme.md", null],
  ["//evil.example/a", "demo://docs/readme.md", null],
  ["#part", "demo://docs/readme.md", null],
  ["a.md", "note:1", null],
] as [string, string, string | null][])("the link %s in %s means %s", (href, base, expected) => {
  expect(resolveLink(href, base)).toBe(expected);
});

it("only a link with another scheme is foreign", () => {
  expect(isForeign("javascript:alert(1)", "demo://a/b")).toBe(true);
  expect(isForeign("a.md", "note:1")).toBe(false);
});

it.each([
  ["demo://berths/{city}", "demo://berths/Kiel", true],
  ["demo://berths/{city}", "demo://berths/Kiel/2", false],
  ["demo://berths/{city}", "demo://berths/", false],
  ["demo://berths/{city}{?from,to}", "demo://berths/Kiel?from=a", true],
  ["demo://files/{+path}", "demo://files/a/b.md", true],
  ["demo://{a}/x/{b}.md", "demo://1/x/2.md", true],
  ["demo://{a}/x/{b}.md", "demo://1/y/2.md", false],
  ["demo://a", "demo://a", true],
  ["demo://a", "demo://ab", false],
] as [string, string, boolean][])("of the template %s may come %s: %s", (template, uri, expected) => {
  expect(mayComeOf(template, uri)).toBe(expected);
});

it("a URI means the resource as it is listed, without its fragment", () => {
  const list = { resources: [{ uri: "demo://docs/a b.md" }], templates: [] } as unknown as ResourceList;
  expect(resourceFinder(list)("demo://docs/a%20b.md#part")).toBe("demo://docs/a b.md");
  expect(resourceFinder(list)("demo://docs/c.md")).toBeNull();
});
