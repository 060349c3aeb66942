// An approval only counts after its subject was unchanged for a second, so that no stray click or key gives it.
import { useEffect, useState } from "react";

/** How many milliseconds after a question appears an approval is accepted. */
export const ARMING_MS = 1_000;

/** Whether `look` was unchanged for that long and `notBefore` has passed. Null prevents the start. */
export function useArmed(look: string, notBefore: number | null): boolean {
  /** How often the window came to the front. */
  const [turn, setTurn] = useState(0);
  /** The look that was unchanged for a second. */
  const [armedLook, setArmedLook] = useState<string | null>(null);
  const now = `${look} ${turn}`;

  // A click that brings the window to the front must not press an enabled button.
  useEffect(() => {
    const again = () => setTurn((before) => before + 1);
    addEventListener("focus", again);
    return () => removeEventListener("focus", again);
  }, []);

  useEffect(() => {
    if (notBefore === null) return;
    const timer = setTimeout(() => setArmedLook(now), Math.max(ARMING_MS, Math.ceil(notBefore - performance.now())));
    return () => {
      clearTimeout(timer);
      setArmedLook(null);
    };
  }, [notBefore, now]);

  return armedLook === now;
}
