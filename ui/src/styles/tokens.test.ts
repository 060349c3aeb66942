import { describe, expect, it } from "vitest";
import css from "./tokens.css?raw";

function theme(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf("{", css.indexOf(selector)) + 1);
  return Object.fromEntries(
    [...block.slice(0, block.indexOf("}")).matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((match) => [match[1], match[2]]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return 0;
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

describe.each([
  ["light", '[data-theme="light"]'],
  ["dark", '[data-theme="dark"]'],
])("the %s theme", (_name, selector) => {
  const colours = theme(selector);
  const low = (pairs: [string, string][], least: number) =>
    pairs
      .filter(([front, back]) => contrast(colours[front], colours[back]) < least)
      .map(([front, back]) => `${front} on ${back}: ${contrast(colours[front], colours[back]).toFixed(2)}`);

  it("keeps text readable on every ground it stands on (4.5:1)", () => {
    const grounds = ["canvas", "surface", "raised", "sunken", "hover", "selected"];
    const texts = ["text", "text-2", "text-3", "accent", "ok", "warn", "bad", "info", "wait"];
    const pairs = texts.flatMap((text) => grounds.map((ground): [string, string] => [text, ground]));
    for (const tone of ["ok", "warn", "bad", "info", "wait"]) pairs.push([tone, `${tone}-soft`]);
    pairs.push(["on-accent", "accent"], ["on-accent", "accent-hover"], ["text", "accent-soft"]);
    expect(low(pairs, 4.5)).toEqual([]);
  });
  it("keeps an example in a field readable (4.5:1) and paler than what is typed there", () => {
    expect(
      low(
        [
          ["text-hint", "surface"],
          ["text-hint", "raised"],
          ["text-hint", "sunken"],
        ],
        4.5,
      ),
    ).toEqual([]);
    expect(contrast(colours["text-hint"], colours["surface"])).toBeLessThan(contrast(colours["text-3"], colours["surface"]));
  });
  it("keeps the outline of small controls visible (3:1)", () => {
    expect(
      low(
        [
          ["control-line", "surface"],
          ["control-line", "sunken"],
          ["control-line", "raised"],
          ["control-line", "hover"],
          ["accent", "surface"],
          ["accent", "canvas"],
        ],
        3,
      ),
    ).toEqual([]);
  });
});
