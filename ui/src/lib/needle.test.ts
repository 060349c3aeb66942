import { describe, expect, it } from "vitest";
import { cutAround, placeOf, runsAround } from "./needle";

describe("what was searched for", () => {
  it("is found whatever the case of ASCII letters, and of no others", () => {
    expect(placeOf("Needle", "nEEDLE")).toBe(0);
    expect(placeOf("ÄRGER", "är")).toBe(-1);
    expect(placeOf("anything", "")).toBe(-1);
  });

  it("cuts a text into runs that together are the text", () => {
    expect(runsAround("a Needle, a needle", "NEEDLE")).toEqual(["a ", "Needle", ", a ", "needle", ""]);
    expect(runsAround("aaaa", "aa")).toEqual(["", "aa", "", "aa", ""]);
    expect(runsAround("none", "needle")).toEqual(["none"]);
    expect(runsAround("İ needle", "needle").join("")).toBe("İ needle");
  });

  it("is in sight where there is little room", () => {
    const text = `${"😀".repeat(40)}needle${"x".repeat(80)}`;
    const cut = cutAround(text, 40, "needle");
    expect(cut).toContain("needle");
    expect(cut.isWellFormed()).toBe(true);
    expect(cutAround(text, 40, "y".repeat(60))).toBe(text.slice(0, 40));
  });
});
