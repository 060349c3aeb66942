import { expect, it } from "vitest";
import { recentChoices, rememberChoice } from "./recents";

it("remembers choices, but no address, which may hold a secret", () => {
  localStorage.setItem("mooring.palette.recent", '["resource:1:file:///old?key=s3cret","place:/inbox"]');
  for (const id of ["tool:1:query", "resource:1:file:///a?key=s3cret", "template:1:file:///{b}"]) rememberChoice(id);
  expect(recentChoices()).toEqual(["tool:1:query", "place:/inbox"]);
  expect(localStorage.getItem("mooring.palette.recent")).not.toContain("file:");
});
