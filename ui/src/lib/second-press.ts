// A double click is one decision: its second half must not press what replaced the first button.
import type { MouseEvent } from "react";

/** The longest time between the two halves of a double click. */
const APART_MS = 500;

/** When a pointer last pressed a protected button. */
let pressedAt = Number.NEGATIVE_INFINITY;

/** Resets the last press, for tests with their own clocks. */
export function forgetPress(): void {
  pressedAt = Number.NEGATIVE_INFINITY;
}

/** Calls `act` for each press, except the second half of a double click. Keys aren't limited. */
export function oncePerPress(act: () => void): (event: MouseEvent) => void {
  return ({ detail }) => {
    // A key's click has no count.
    if (detail > 0) {
      const before = pressedAt;
      pressedAt = performance.now();
      if (pressedAt - before < APART_MS) return;
    }
    act();
  };
}
