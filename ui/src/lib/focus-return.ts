// Where the focus goes when what floated above the page is gone: back to where it was. What opens from a shortcut, an
// address or a menu has no trigger that Radix would know.

/** What floats above the page. */
const ABOVE = "[role=dialog],[role=menu],[role=listbox][data-state=open]";

/** So far back there is a way, from one thing that floats to the next. */
const STEPS = 16;

/** What had the focus, the newest last, since the person clicked it away from the page. */
let trail: HTMLElement[] = [];

addEventListener("focusin", ({ target }) => {
  // What Radix puts around a dialog to keep the focus in it is no place to be.
  if (!(target instanceof HTMLElement) || target === document.body || target.matches("[data-radix-focus-guard]")) return;
  trail = [...trail.filter((element) => element !== target && element.isConnected), target].slice(-STEPS);
});
addEventListener("focusout", ({ target, relatedTarget }) => {
  if (relatedTarget === null && target instanceof HTMLElement && target.closest(ABOVE) === null) trail = [];
});

/** For what goes while it has the focus: the newest elsewhere that is still there has it again. */
export function focusAfter(gone: Element): void {
  trail.findLast((element) => element.isConnected && !gone.contains(element))?.focus({ preventScroll: true });
}

/** For what floated above the page, once it is gone: the newest that is still there has the focus again, unless something took it. */
export function giveFocusBack(event: Event): void {
  event.preventDefault();
  const taken = document.activeElement !== null && document.activeElement !== document.body;
  if (!taken) trail.findLast((element) => element.isConnected)?.focus({ preventScroll: true });
}
