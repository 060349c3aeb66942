// Keeps floating elements at the bottom of the page away from deciding controls, and from controls in use.
import { type RefObject, useLayoutEffect } from "react";

/** The gap between a floating element and what it avoids. */
const GAP = 12;

/** Marks what must never be covered: deciding buttons and their rows. */
export const KEEP_CLEAR = { "data-keep-clear": "" } as const;

type Box = Pick<DOMRect, "left" | "right" | "top" | "bottom">;

/** How far up a box must move to cover none of these. 0 if it is clear, or if there is no place above. */
export function liftOver(box: Box, others: readonly Box[]): number {
  const across = others.filter((other) => other.left < box.right + GAP && other.right > box.left - GAP);
  const height = box.bottom - box.top;
  let { bottom } = box;
  for (const other of across.toSorted((one, two) => two.bottom - one.bottom))
    if (other.bottom > bottom - height - GAP && other.top < bottom + GAP) bottom = Math.min(bottom, other.top - GAP);
  return bottom - height < 0 ? 0 : box.bottom - bottom;
}

/** A taller element isn't a control but a part of the page, which may be partly covered. */
const CONTROL_HEIGHT = 240;

/** What is in use: the field with its name, or the focused control. */
export function usedBy(active: Element | null, floating: Element): Element[] {
  if (active === null || active === document.body || floating.contains(active)) return [];
  const field = active.closest("[data-field]") ?? active;
  return [field.getBoundingClientRect().height > CONTROL_HEIGHT ? active : field].filter(
    (used) => used.getBoundingClientRect().height <= CONTROL_HEIGHT,
  );
}

function lift(element: HTMLElement): void {
  // Its position without the shift.
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const lifted = Number.parseFloat(element.style.translate.split(" ")[1] ?? "") || 0;
  const decide = [...document.querySelectorAll("[data-keep-clear]"), ...usedBy(document.activeElement, element)]
    // Elements behind a dialog can't be pressed.
    .filter((other) => other.closest("[aria-hidden=true]") === null)
    .map((other) => other.getBoundingClientRect())
    .filter(({ width, height }) => width > 0 && height > 0);
  const by = Math.ceil(liftOver({ left, right, top: top - lifted, bottom: bottom - lifted }, decide));
  const next = by === 0 ? "" : `0 ${-by}px`;
  if (element.style.translate !== next) element.style.translate = next;
}

/** Keeps an element away from deciding controls while it is `shown`, whatever opens, moves or scrolls. */
export function useKeptClear(element: RefObject<HTMLElement | null>, shown: boolean): void {
  useLayoutEffect(() => {
    if (!shown) return;
    let frame = 0;
    const place = () => {
      frame = 0;
      if (element.current) lift(element.current);
    };
    const later = () => {
      frame ||= requestAnimationFrame(place);
    };
    const observer = new MutationObserver(later);
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["style", "class", "aria-hidden"] });
    const moves = ["scroll", "resize", "input", "focusin"];
    for (const move of moves) addEventListener(move, later, true);
    place();
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
      for (const move of moves) removeEventListener(move, later, true);
    };
  }, [element, shown]);
}
