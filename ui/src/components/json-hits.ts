// Finds the matches of a search in a text, in the order of display.
import { runsAround } from "@/lib/needle";
import { rootOf, runsOf, scalarOf, unlessBroken } from "@/lib/json-scan";

/** A match of the search. */
export interface TextHit {
  /** Where the key or value with the match begins. 0 if the text isn't JSON. */
  readonly start: number;
  /** The position of the match in the decoded key or value. */
  readonly offset: number;
  readonly length: number;
}

/** The most hits. No one would step through more. */
export const MOST_HITS = 1_000;

/** The matches in the keys and values of a JSON text, or in the whole text if it isn't JSON. */
export function hitsInJson(text: string, needle: string): TextHit[] {
  const isJson = unlessBroken(() => rootOf(text), null) !== null;
  if (!isJson) return hitsInText(text, needle);
  const hits: TextHit[] = [];
  // Most keys and values are skipped, because they neither contain the search text nor an escape that could hide it.
  const written = new RegExp(needle.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "gi");
  let next = -1;
  for (const { kind, start, end } of runsOf(text)) {
    if (kind === "space" || kind === "mark" || kind === "unknown") continue;
    if (next < start) {
      written.lastIndex = start;
      next = written.exec(text)?.index ?? Infinity;
    }
    if (next >= end && !text.slice(start, end).includes("\\")) continue;
    add(hits, start, scalarOf(text, { kind, start, end }), needle);
    if (hits.length >= MOST_HITS) break;
  }
  return hits;
}

export function hitsInText(text: string, needle: string): TextHit[] {
  const hits: TextHit[] = [];
  add(hits, 0, text, needle);
  return hits;
}

function add(hits: TextHit[], start: number, text: string, needle: string): void {
  let offset = 0;
  for (const [index, { length }] of runsAround(text, needle).entries()) {
    if (index % 2 === 1 && hits.length < MOST_HITS) hits.push({ start, offset, length });
    offset += length;
  }
}
