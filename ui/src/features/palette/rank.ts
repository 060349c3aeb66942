// Ranks the entries that match the typed text, in groups, and selects those that are shown before that.
import { type Match, match, nearest, words } from "@/lib/fuzzy";
import { type Entry, GROUPS, type Group } from "./entry";
import { usesOf } from "./recents";

export interface Hit {
  readonly entry: Entry;
  /** The positions of the matches in the title. */
  readonly at: readonly number[];
}

export interface Section {
  readonly group: Group | "recent" | "frequent";
  /** The position of its first result among all. */
  readonly first: number;
  readonly hits: readonly Hit[];
}

const RECENT = 4;
/** How many frequent entries are shown next to the recent ones, and the least use (as counted by `usesOf`). */
const FREQUENT = 4;
const OFTEN = 1.8;
const PER_GROUP = 12;
/** The most settings, because any word matches them. They come after equally good results. */
const SETTINGS = 4;
/** How many entries of a long group are shown before anything is typed. */
const OFFERED = 6;
/** A used entry wins against an equal match, but not against a clearly better one. */
const USE_BONUS = 12;
/** Small words are ignored between others. Alone they find names, not sentences. */
const SMALL = ["in", "to", "of", "for", "from", "the", "a", "an"];
const SMALL_WORDS = new RegExp(`(?<=\\s)(?:${SMALL.join("|")})(?=\\s)`, "giu");
const bare = (title: string): string => title.replace(SMALL_WORDS, (word) => " ".repeat(word.length));

/** Worse than any match. */
const NOWHERE: Match = { score: Number.NEGATIVE_INFINITY, at: [], far: false };

/** The sections of the palette. `history` has the ids of past choices, newest first. `most` limits a group. */
export function rank(entries: readonly Entry[], query: string, history: readonly string[], most = OFFERED): Section[] {
  const typed = words(query);
  const found = typed.length === 0 ? offered(entries, history, most) : answers(entries, typed, usesOf(history));
  let first = 0;
  return found.map((section) => {
    first += section.hits.length;
    return { ...section, first: first - section.hits.length };
  });
}

type Found = Omit<Section, "first">;

function offered(entries: readonly Entry[], history: readonly string[], most: number): Found[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const uses = usesOf(history);
  const used = [...uses.keys()].flatMap((id) => byId.get(id) ?? []);
  const latest = used.slice(0, RECENT);
  const usesOfEntry = ({ id }: Entry) => uses.get(id) ?? 0;
  const often = used
    .slice(RECENT)
    .filter((entry) => usesOfEntry(entry) >= OFTEN)
    .toSorted((one, other) => usesOfEntry(other) - usesOfEntry(one))
    .slice(0, FREQUENT);
  const sections: Found[] = [];
  if (latest.length > 0) sections.push({ group: "recent", hits: latest.map(plain) });
  if (often.length > 0) sections.push({ group: "frequent", hits: often.map(plain) });
  for (const group of GROUPS) {
    const hits = entries
      .filter((entry) => entry.group === group && entry.offered && !latest.includes(entry) && !often.includes(entry))
      .slice(0, most)
      .map(plain);
    if (hits.length > 0) sections.push({ group, hits });
  }
  return sections;
}

const plain = (entry: Entry): Hit => ({ entry, at: [] });

/** Grows more slowly with each use, so that frequent use only wins narrowly. */
const bonus = (uses = 0): number => USE_BONUS * (1 - 1 / (1 + uses));

function answers(entries: readonly Entry[], all: readonly string[], uses: ReadonlyMap<string, number>): Found[] {
  const large = all.filter((word) => !SMALL.includes(word));
  const typed = large.length > 0 ? large : all;
  const hits = entries.flatMap((entry) => {
    const hit = entry.group === "search" ? null : match(typed, bare(entry.title), entry.also);
    return hit === null ? [] : [{ entry, hit }];
  });
  // The offer to search elsewhere is always there, and always last.
  const elsewhere = entries.filter((entry) => entry.group === "search").map((entry) => ({ entry, hit: NOWHERE }));
  const found = new Map<Group, { hit: Hit; score: number }[]>();
  for (const { entry, hit } of [...nearest(hits, ({ hit }) => hit), ...elsewhere]) {
    const group = found.get(entry.group) ?? [];
    group.push({ hit: { entry, at: hit.at }, score: hit.score + bonus(uses.get(entry.id)) });
    found.set(entry.group, group);
  }
  const best = ([group, hits]: readonly [Group, readonly { score: number }[]]): number =>
    (hits[0]?.score ?? Number.NEGATIVE_INFINITY) - (group === "setting" ? USE_BONUS : 0);
  return [...found]
    .map(([group, hits]) => [group, hits.toSorted((a, b) => b.score - a.score)] as const)
    .toSorted((a, b) => best(b) - best(a))
    .map(([group, hits]) => ({ group, hits: hits.slice(0, group === "setting" ? SETTINGS : PER_GROUP).map(({ hit }) => hit) }));
}
