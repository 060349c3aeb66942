import { useMemo, useState } from "react";
import { hitsInJson, hitsInText, type TextHit } from "@/components/json-hits";

/** How a text is shown: as a tree where it is JSON, as it is, or not at all. */
export type Shape = "json" | "text" | "none";

export interface Hits {
  readonly count: number;
  /** The place of the one that was gone to, from 0. */
  readonly at: number;
  /** Another object each time it is gone to. */
  readonly hit: TextHit | null;
  readonly step: (by: 1 | -1) => void;
}

interface Gone {
  readonly of: string;
  readonly at: number;
  readonly hit: TextHit;
}

/** The hits of a search in a text: the first one to begin with, then from one to the next and around. */
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
