// There is no layout in a test's page: a list that draws only what is in sight needs the size of its box.
import { vi } from "vitest";

/** From now on every box has this size, until the test's spies are restored. */
export function everyBoxIs(width: number, height: number): void {
  for (const [side, size] of [
    ["Height", height],
    ["Width", width],
  ] as const) {
    vi.spyOn(HTMLElement.prototype, `offset${side}`, "get").mockReturnValue(size);
    vi.spyOn(HTMLElement.prototype, `client${side}`, "get").mockReturnValue(size);
  }
}
