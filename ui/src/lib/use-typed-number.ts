import { useState } from "react";

/** A whole number that is typed: it counts when it is left or confirmed with Enter, and only when it is in range. */
export function useTypedNumber({
  value,
  min,
  max,
  isRefused = () => false,
  save,
  clear,
}: {
  value: number;
  min: number;
  max: number;
  /** Whether one in range can't be chosen. */
  isRefused?: (number: number) => boolean;
  /** Saves it; false: it could not be, and what was typed stays. */
  save: (number: number) => Promise<boolean>;
  /** What was said of what was typed before counts no longer. */
  clear: () => void;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? String(value);
  const number = /^\d+$/.test(shown.trim()) ? Number(shown) : Number.NaN;
  const inRange = number >= min && number <= max;
  const commit = async () => {
    if (typed === null || !inRange || isRefused(number)) return;
    if (number === value || (await save(number))) setTyped(null);
  };
  return {
    number,
    /** Forgets what was typed. */
    reset: () => {
      setTyped(null);
      clear();
    },
    inRange,
    input: {
      inputMode: "numeric" as const,
      value: shown,
      onChange: (event: { target: { value: string } }) => {
        setTyped(event.target.value);
        clear();
      },
      onBlur: () => void commit(),
      onKeyDown: (event: { key: string }) => {
        if (event.key === "Enter") void commit();
        if (event.key !== "Escape") return;
        setTyped(null);
        clear();
      },
    },
  };
}
