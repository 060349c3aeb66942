import { renderHook, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { liftOver, usedBy, useKeptClear } from "./clear-of";

const box = (left: number, top: number, width: number, height: number) => ({ left, top, right: left + width, bottom: top + height });
/** The position of messages in a window of 1280 × 800. */
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

/** The page with this content. Returns the floating element. */
const within = (html: string) => {
  document.body.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  return document.querySelector<HTMLElement>("#toasts")!;
};

describe("what is used now", () => {
  it("is the field with its name", () => {
    const toasts = within('<div data-field id="row"><input id="at" /></div><div id="toasts"><button id="in"></button></div>');
    expect(usedBy(document.querySelector("#at"), toasts)).toEqual([document.querySelector("#row")]);
    // A message isn't in its own way, and without focus nothing is in use.
    expect(usedBy(document.querySelector("#in"), toasts)).toEqual([]);
    expect(usedBy(document.body, toasts)).toEqual([]);
  });
  it("is no whole part of the page", () => {
    const toasts = within('<main id="at"></main><div id="toasts"></div>');
    const main = document.querySelector("#at")!;
    main.getBoundingClientRect = () => new DOMRect(0, 0, 900, 600);
    expect(usedBy(main, toasts)).toEqual([]);
  });
});

describe("a message", () => {
  it("moves off the field that has the focus, and back after it", async () => {
    const floating = within('<div data-field id="row"><input id="at" /></div><input id="far" /><div id="toasts"></div>');
    const lie = (id: string, left: number, top: number, width: number, height: number) => {
      document.querySelector(id)!.getBoundingClientRect = () => new DOMRect(left, top, width, height);
    };
    lie("#row", 600, 700, 500, 50);
    lie("#at", 600, 720, 500, 30);
    lie("#far", 0, 100, 300, 30);
    // Returns its moved position.
    floating.getBoundingClientRect = () =>
      new DOMRect(884, 722 + (Number.parseFloat(floating.style.translate.split(" ")[1] ?? "") || 0), 380, 40);
    renderHook(() => useKeptClear({ current: floating }, true));
    expect(floating.style.translate).toBe("");
    document.querySelector<HTMLElement>("#at")!.focus();
    // With its name, which starts at 700.
    await waitFor(() => expect(floating.style.translate).toBe("0 -74px"));
    document.querySelector<HTMLElement>("#far")!.focus();
    await waitFor(() => expect(floating.style.translate).toBe(""));
  });
});
