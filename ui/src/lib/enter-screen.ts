// Where the focus goes when a key leads to a screen: to what the screen is about, so that its keys work at once.

/** A list with its own keys, or what a screen names itself. Never a button: what Space would press is chosen by the person. */
const ABOUT = ["[data-start]", '[role=grid][tabindex="0"]', '[role=grid] tr[tabindex="0"]', '[role=tree][tabindex="0"]']
  .map((part) => `main ${part}`)
  .join();

let watch: MutationObserver | undefined;

/** Moves the focus into the screen, and on to what it is about as soon as that was read. */
export function enterScreen(): void {
  watch?.disconnect();
  watch = undefined;
  const about = document.querySelector<HTMLElement>(ABOUT);
  const target = about ?? document.querySelector<HTMLElement>("main");
  target?.focus({ preventScroll: true });
  if (about !== null || target === null) return;
  watch = new MutationObserver(() => {
    const { activeElement } = document;
    // The person went on by themselves.
    if (activeElement !== target && activeElement !== document.body) watch?.disconnect();
    else if (document.querySelector(ABOUT) !== null) enterScreen();
  });
  watch.observe(document.body, { childList: true, subtree: true });
}
