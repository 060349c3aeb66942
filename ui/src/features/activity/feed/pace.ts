// When to show a batch: with the next frame, or, after a slow frame, once the page had as much time for everything
// else. A slow machine shows fewer updates, but not longer frames.

/** A frame up to this length (ms) is in time, with some room for jitter. */
const IN_TIME = 20;
const LONGEST_REST = 250;

/** Runs a function in an animation frame, but no sooner than the last frame's duration allows. */
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
