import { describe, expect, it } from "vitest";
import { liftOver } from "./clear-of";

const box = (left: number, top: number, width: number, height: number) => ({ left, top, right: left + width, bottom: top + height });
/** Where messages lie in a window of 1280 × 800. */
const toasts = box(884, 722, 380, 40);

describe("what floats at the bottom", () => {
  it("lies where it is when nothing that decides is there", () => {
    expect(liftOver(toasts, [])).toBe(0);
    expect(liftOver(toasts, [box(1149, 9, 115, 30), box(300, 730, 200, 30)])).toBe(0);
  });
  it("goes above the buttons of a dialog", () => {
    expect(liftOver(toasts, [box(300, 712, 680, 62)])).toBe(62);
  });
  it("goes above what is above those, too", () => {
    expect(liftOver(toasts, [box(900, 660, 100, 30), box(300, 712, 680, 62)])).toBe(114);
  });
  it("goes between two where there is room", () => {
    expect(liftOver(toasts, [box(900, 560, 100, 30), box(300, 712, 680, 62)])).toBe(62);
  });
  it("stays where no place is left above", () => {
    expect(liftOver(toasts, [box(884, 0, 380, 800)])).toBe(0);
  });
});
