import { useMemo, useState } from "react";
import { hitsInJson, hitsInText, type TextHit } from "@/components/json-hits";

/** How a text is shown: as a JSON tree, as text, or not at all. */
export type Shape = "json" | "text" | "none";

export interface Hits {
  readonly count: number;
  /** The index of the current hit. */
  readonly at: number;
  /** A new object each time a hit is selected. */
  readonly hit: TextHit | null;
  readonly step: (by: 1 | -1) => void;
}

interface Gone {
  readonly of: string;
  readonly at: number;
  readonly hit: TextHit;
}

/** The hits of a search in a text, and stepping through them in a circle. */
export function useHits(text: string, shape: Shape, needle: string): Hits {
  const hits = useMemo(
    () => (shape === "none" || needle === "" ? [] : shape === "json" ? hitsInJson(text, needle) : hitsInText(text, needle)),
    [text, shape, needle],
  );
  const [gone, setGone] = useState<Gone | null>(null);
  // Another search or tab has other hits.
  const of = `${shape} ${text.length} ${needle}`;
  const { at, hit } = gone?.of === of ? gone : { at: 0, hit: hits[0] ?? null };
  const step = (by: 1 | -1) => {
    const next = (at + by + hits.length) % hits.length;
    const wanted = hits[next];
    if (wanted) setGone({ of, at: next, hit: { ...wanted } });
  };
  return { count: hits.length, at, hit, step };
}
