// A yes counts only once what it is for has stood still for a second, so that no stray click or key gives it.
import { useEffect, useState } from "react";

/** An approval is taken so many milliseconds after what is asked came into sight. */
export const ARMING_MS = 1_000;

/** Whether `look` has stood still for that long, and `notBefore` on the page's clock has passed; it doesn't begin where that is null. */
export function useArmed(look: string, notBefore: number | null): boolean {
  /** How often the window came to the front. */
  const [turn, setTurn] = useState(0);
  /** The look that has lasted a second. */
  const [armedLook, setArmedLook] = useState<string | null>(null);
  const now = `${look} ${turn}`;

  // A click that brings the window to the front must not land on a button that is ready.
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
