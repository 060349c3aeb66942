// A double press is one decision: its second half must not fall on what took the place of what was pressed.
import type { MouseEvent } from "react";

/** As far apart as the two halves of a double press are at most. */
const APART_MS = 500;

/** When a pointer last pressed something of this kind. */
let pressedAt = Number.NEGATIVE_INFINITY;

/** For tests, which each have a clock of their own: as if nothing had been pressed. */
export function forgetPress(): void {
  pressedAt = Number.NEGATIVE_INFINITY;
}

/** Does it for each press but for the second half of a double press. Keys press as often as they like. */
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
