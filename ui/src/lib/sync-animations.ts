// Marks that move for as long as something goes on begin where the page's clock began, so that all of them take their
// steps in the same frames: without a graphics card a frame costs the same for one of them as for all.

/** Has every animation without end that begins from now on keep the page's time. */
export function syncEndlessAnimations(page: Document): void {
  page.addEventListener("animationstart", ({ target }) => {
    if (!(target instanceof Element)) return;
    for (const animation of target.getAnimations()) {
      if (animation.effect?.getTiming().iterations === Number.POSITIVE_INFINITY) animation.startTime = 0;
    }
  });
}
