import { describe, expect, it } from "vitest";
import { meantProgram, withProgram } from "./meant-program";

describe("a program that isn’t there", () => {
  it.each([
    ["uxv", "uvx"],
    ["nxp", "npx"],
    ["NPX", "npx"],
    ["npxx", "npx"],
    ["dokkre", "docker"],
    ["pythno", "python"],
    ["pythn3", "python3"],
    ["npx", null],
    ["x", null],
    ["", null],
    ["my-server", null],
    ["weather", null],
    ["./npx", null],
  ])("%s: was %s meant?", (name, meant) => {
    expect(meantProgram(name)).toBe(meant);
  });

  it.each([
    ["uxv some-server", "uxv", "uvx some-server"],
    ["KEY=uxv uxv  --from uxv x", "uxv", "KEY=uxv uvx  --from uxv x"],
    ["'uxv' x", "uxv", "'uxv' x"],
  ])("is replaced in the line, and nothing else: %s", (line, program, next) => {
    expect(withProgram(line, program, "uvx")).toBe(next);
  });
});
