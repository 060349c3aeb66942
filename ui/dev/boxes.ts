// Tests have no layout, but a list that only draws visible rows needs the size of its box.
import { vi } from "vitest";

/** Gives every box this size, until the test's spies are restored. */
export function everyBoxIs(width: number, height: number): void {
  for (const [side, size] of [
    ["Height", height],
    ["Width", width],
  ] as const) {
    vi.spyOn(HTMLElement.prototype, `offset${side}`, "get").mockReturnValue(size);
    vi.spyOn(HTMLElement.prototype, `client${side}`, "get").mockReturnValue(size);
  }
}
