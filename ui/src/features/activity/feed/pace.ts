// When to put a batch on screen: with the next frame, and after a frame that was slow only when the page has had
// as long again for everything else. A slow machine shows fewer updates, never longer frames.

/** A frame that is in time (ms), with some room for jitter. */
const IN_TIME = 20;
const LONGEST_REST = 250;

/** Runs what it is given in an animation frame, no sooner than the last frame's cost allows. */
export function paced(): (apply: () => void) => void {
  let rest = 0;
  return (apply) => {
    const inFrame = () =>
      requestAnimationFrame((began) => {
        apply();
        requestAnimationFrame((next) => {
          const cost = next - began;
          rest = cost <= IN_TIME ? 0 : Math.min(cost, LONGEST_REST);
        });
      });
    if (rest > 0) setTimeout(inFrame, rest);
    else inFrame();
  };
}
