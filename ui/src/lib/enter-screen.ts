// Moves the focus when a key opens a screen: to its main content, so that its keys work immediately.

/** A list with its own keys, or the screen's marked element. Never a button: only the person chooses what to press. */
const ABOUT = ["[data-start]", '[role=grid][tabindex="0"]', '[role=grid] tr[tabindex="0"]', '[role=tree][tabindex="0"]']
  .map((part) => `main ${part}`)
  .join();

let watch: MutationObserver | undefined;

/** Moves the focus into the screen, and to its main content once it is loaded. */
export function enterScreen(): void {
  watch?.disconnect();
  watch = undefined;
  const about = document.querySelector<HTMLElement>(ABOUT);
  const target = about ?? document.querySelector<HTMLElement>("main");
  target?.focus({ preventScroll: true });
  if (about !== null || target === null) return;
  watch = new MutationObserver(() => {
    const { activeElement } = document;
    // The person moved the focus.
    if (activeElement !== target && activeElement !== document.body) watch?.disconnect();
    else if (document.querySelector(ABOUT) !== null) enterScreen();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}
