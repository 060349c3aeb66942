import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { paced } from "./pace";

let now = 0;
let frames: FrameRequestCallback[] = [];
/** The next animation frame, this many milliseconds after the last. */
const frame = (after: number) => {
  now += after;
  for (const run of frames.splice(0)) run(now);
};

beforeEach(() => {
  now = 0;
  frames = [];
  vi.useFakeTimers();
  vi.stubGlobal("requestAnimationFrame", (run: FrameRequestCallback) => frames.push(run));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("applies with the next frame while frames are in time", () => {
  const pace = paced();
  const apply = vi.fn<() => void>();
  pace(apply);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(1);
  frame(16);
  pace(apply);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(2);
});

it("gives the page as long as the last frame took before the next one", () => {
  const pace = paced();
  const apply = vi.fn<() => void>();
  pace(apply);
  frame(16);
  frame(60);
  pace(apply);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(59);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(2);
});

it("forgets a slow frame after one in time, and never rests for long", () => {
  const pace = paced();
  const apply = vi.fn<() => void>();
  pace(apply);
  frame(16);
  frame(4_000);
  pace(apply);
  vi.advanceTimersByTime(250);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(2);
  frame(16);
  pace(apply);
  frame(16);
  expect(apply).toHaveBeenCalledTimes(3);
});
