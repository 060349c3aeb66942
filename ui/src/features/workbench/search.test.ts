import { expect, it } from "vitest";
import { searchFor, spotOf, workbenchSearch } from "./search";
import type { Spot } from "./target";

it.each([
  { kind: "tool", name: "echo" },
  { kind: "resource", name: "demo://a?b=c&d" },
  { kind: "template", name: "demo://{x}{?y}" },
  { kind: "prompt", name: "青岛" },
  { kind: "tasks" },
  undefined,
] as (Spot | undefined)[])("an address names %o and is read back", (spot) => {
  const search = searchFor(3, spot);
  expect(workbenchSearch({ ...search })).toEqual(search);
  expect(spotOf(search)).toEqual(spot);
});

it("keeps what makes sense of an address and drops the rest", () => {
  expect(workbenchSearch({ server: 1.5, tool: 7, resource: "a:b", prompt: "p", view: "tasks", x: 1 })).toEqual({ resource: "a:b" });
  expect(workbenchSearch({ server: 2, view: "other" })).toEqual({ server: 2 });
});
