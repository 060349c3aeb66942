// Endless animations start at the page's time origin, so that all of them advance in the same frames: without a
// graphics card a frame costs the same for one as for all.

/** Synchronises every endless animation that starts from now on. */
export function syncEndlessAnimations(page: Document): void {
  page.addEventListener("animationstart", ({ target }) => {
    if (!(target instanceof Element)) return;
    for (const animation of target.getAnimations()) {
      if (animation.effect?.getTiming().iterations === Number.POSITIVE_INFINITY) animation.startTime = 0;
    }
  });
}
