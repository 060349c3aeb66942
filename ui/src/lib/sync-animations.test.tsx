import { expect, it, vi } from "vitest";
import { syncEndlessAnimations } from "./sync-animations";

/** An element with an animation of this many iterations, and its start time. */
function moving(iterations: number): { element: HTMLElement; startTime: () => unknown } {
  const animation = { startTime: 41, effect: { getTiming: () => ({ iterations }) } };
  const element = document.body.appendChild(document.createElement("span"));
  element.getAnimations = vi.fn(() => [animation as unknown as Animation]);
  return { element, startTime: () => animation.startTime };
}

it("has only what has no end keep the page's time", () => {
  syncEndlessAnimations(document);
  const [endless, once] = [moving(Number.POSITIVE_INFINITY), moving(1)];
  for (const { element } of [endless, once]) element.dispatchEvent(new Event("animationstart", { bubbles: true }));
  expect([endless.startTime(), once.startTime()]).toEqual([0, 41]);
});
