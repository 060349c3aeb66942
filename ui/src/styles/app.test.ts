import { expect, it } from "vitest";
import css from "./app.css?raw";

it("moves what has no end at most eight times a second", () => {
  const endless = [...css.matchAll(/--animate-[\w-]+:[^;]*\binfinite\b[^;]*/g)].map(([rule]) => rule);
  expect(endless.length).toBeGreaterThan(0);
  for (const rule of endless) {
    const [, name, seconds, steps] = /: (\w+) ([\d.]+)s steps\((\d+)\)/.exec(rule) ?? [];
    const [, frames] = new RegExp(`@keyframes ${name} \\{([^]*?)\\n\\}`).exec(css) ?? [];
    // Steps are between each two keyframes: an animation that returns takes them twice.
    const times = /^ *50% /m.test(frames ?? "") ? 2 : 1;
    expect((Number(steps) * times) / Number(seconds)).toBeLessThanOrEqual(8);
  }
});
