// Where what was searched for stands in a text, in the order in which the text shows it.
import { runsAround } from "@/lib/needle";
import { rootOf, runsOf, scalarOf, unlessBroken } from "@/lib/json-scan";

/** One place where it stands. */
export interface TextHit {
  /** Where the key or value that has it begins; 0 in a text that is no JSON. */
  readonly start: number;
  /** Where in that, as it reads, it stands. */
  readonly offset: number;
  readonly length: number;
}

/** More are not counted: nobody goes through them one by one. */
export const MOST_HITS = 1_000;

/** Where it stands in the keys and values of a JSON text, or in the text itself where that is no JSON. */
export function hitsInJson(text: string, needle: string): TextHit[] {
  const isJson = unlessBroken(() => rootOf(text), null) !== null;
  if (!isJson) return hitsInText(text, needle);
  const hits: TextHit[] = [];
  // Most keys and values are passed by: what is looked for is not in them, and no escape hides it.
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
