// Returns the focus when an overlay is gone. An overlay from a shortcut, a URL or a menu has no trigger that Radix
// knows.

/** Overlays. */
const ABOVE = "[role=dialog],[role=menu],[role=listbox][data-state=open]";

/** How many previous elements are remembered. */
const STEPS = 16;

/** The previously focused elements, newest last, since the person last clicked outside. */
let trail: HTMLElement[] = [];

addEventListener("focusin", ({ target }) => {
  // Radix's focus guards around a dialog don't count.
  if (!(target instanceof HTMLElement) || target === document.body || target.matches("[data-radix-focus-guard]")) return;
  trail = [...trail.filter((element) => element !== target && element.isConnected), target].slice(-STEPS);
});
addEventListener("focusout", ({ target, relatedTarget }) => {
  if (relatedTarget === null && target instanceof HTMLElement && target.closest(ABOVE) === null) trail = [];
});

/** For an element that disappears with the focus: focuses the newest remaining element elsewhere. */
export function focusAfter(gone: Element): void {
  trail.findLast((element) => element.isConnected && !gone.contains(element))?.focus({ preventScroll: true });
}

/** For an overlay that is gone: focuses the newest remaining element, unless something took the focus. */
export function giveFocusBack(event: Event): void {
  event.preventDefault();
  const taken = document.activeElement !== null && document.activeElement !== document.body;
  if (!taken) trail.findLast((element) => element.isConnected)?.focus({ preventScroll: true });
}
