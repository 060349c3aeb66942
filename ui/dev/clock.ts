// The time of a test: it goes on by itself and can be moved, or it is held and only moves where the test waits.
import { act } from "@testing-library/react";
import { onTestFinished, vi } from "vitest";

function fake(shouldAdvanceTime: boolean) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

/** From here on `pass` moves the time of this test. */
export const moveTime = () => fake(true);

/** Holds the time of this test: whoever waits for something moves it, 50 ms at a time. */
export function holdTime() {
  fake(false);
  // By this Testing Library knows how to move it.
  vi.stubGlobal("jest", { advanceTimersByTime: (ms: number) => vi.advanceTimersByTime(ms) });
}

/** Lets so much time pass. */
export const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

/** Stops the date of this test and not its timers: how long ago something was stays the same on a slow machine. */
export function stopDate() {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}
