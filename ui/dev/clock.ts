// Fake time for tests: it runs and can be advanced, or it only advances when a test waits.
import { act } from "@testing-library/react";
import { onTestFinished, vi } from "vitest";

function fake(shouldAdvanceTime: boolean) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
}

/** From now on `pass` advances the time of this test. */
export const moveTime = () => fake(true);

/** Stops the time of this test. Each wait advances it by 50 ms at a time. */
export function holdTime() {
  fake(false);
  // Testing Library advances the time with this function.
  vi.stubGlobal("jest", { advanceTimersByTime: (ms: number) => vi.advanceTimersByTime(ms) });
}

/** Advances the time by `ms`. */
export const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

/** Stops the date, but not the timers, so that relative times stay the same on a slow machine. */
export function stopDate() {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
}
