// Which entries answer what was typed, in groups, best first; and what is offered before anything is typed.
import { type Match, match, nearest, words } from "@/lib/fuzzy";
import { type Entry, GROUPS, type Group } from "./entry";
import { usesOf } from "./recents";

export interface Hit {
  readonly entry: Entry;
  /** Matched positions in the title. */
  readonly at: readonly number[];
}

export interface Section {
  readonly group: Group | "recent" | "frequent";
  /** The position of its first hit among all. */
  readonly first: number;
  readonly hits: readonly Hit[];
}

const RECENT = 4;
/** So many are used often, each at least so often (as `usesOf` counts), beside the recent ones. */
const FREQUENT = 4;
const OFTEN = 1.8;
const PER_GROUP = 12;
/** Of settings, which any word matches, that many, and after what is as good an answer. */
const SETTINGS = 4;
/** Before anything is typed, so many of a group that can be long. */
const OFFERED = 6;
/** What is used wins against an equal match, the more the more it is used, and not against a clearly better one. */
const USE_BONUS = 12;
/** Between other words they say nothing of what is meant: alone they find names, not sentences. */
const SMALL = ["in", "to", "of", "for", "from", "the", "a", "an"];
const SMALL_WORDS = new RegExp(`(?<=\\s)(?:${SMALL.join("|")})(?=\\s)`, "giu");
const bare = (title: string): string => title.replace(SMALL_WORDS, (word) => " ".repeat(word.length));

/** Worse than any answer. */
const NOWHERE: Match = { score: Number.NEGATIVE_INFINITY, at: [], far: false };

/** The sections of the palette. `history` holds the ids of what was chosen, the latest first; `most` limits what a group offers. */
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

/** The less the more it was used already, so that what is used most wins only by a little. */
const bonus = (uses = 0): number => USE_BONUS * (1 - 1 / (1 + uses));

function answers(entries: readonly Entry[], all: readonly string[], uses: ReadonlyMap<string, number>): Found[] {
  const large = all.filter((word) => !SMALL.includes(word));
  const typed = large.length > 0 ? large : all;
  const hits = entries.flatMap((entry) => {
    const hit = entry.group === "search" ? null : match(typed, bare(entry.title), entry.also);
    return hit === null ? [] : [{ entry, hit }];
  });
  // The offer to search elsewhere always comes, and always last.
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
