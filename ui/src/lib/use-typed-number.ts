import { useState } from "react";

/** A typed whole number. Applies on leaving the field or with Enter, if it is in range. */
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
  /** Whether a number in range is not allowed. */
  isRefused?: (number: number) => boolean;
  /** Saves it. Resolves to false if that failed, and the typed text stays. */
  save: (number: number) => Promise<boolean>;
  /** Clears the message about earlier text. */
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
    /** Discards the typed text. */
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
