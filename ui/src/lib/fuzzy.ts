// Fuzzy matching: letters in order, best at the beginnings of words and in one piece.

export interface Match {
  readonly score: number;
  /** The matched positions in the text, ascending. */
  readonly at: readonly number[];
  /** Whether a word was only found as separate letters of the title. */
  readonly far: boolean;
}

type Reading = Omit<Match, "far">;

const WORD = /[\p{L}\p{N}]/u;

/** Scripts without spaces: any character may start a word. */
const UNSPACED = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}/u;

/** A letter that starts a word: after a space or punctuation, or a capital after a small letter. */
function begins(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  const here = text.charAt(at);
  if (UNSPACED.test(here)) return true;
  return !WORD.test(before) || (before !== before.toUpperCase() && here !== here.toLowerCase());
}

/** Matches a word of the query with a name, or null. Adjacent letters beat separate ones. */
function inName(word: string, text: string, lower: string): Match | null {
  const whole = run(word, text, lower);
  const first = word.length > 1 ? initials(word, text, lower) : null;
  const near = whole && first ? (first.score > whole.score ? first : whole) : (whole ?? first);
  if (near) return { ...near, far: false };
  // One or two separate letters are no useful match.
  const apart = word.length < 3 ? null : scattered(word, text, lower);
  return apart && { ...apart, far: true };
}

/** Matches a word with a description: in one piece, and short words only at the start of a word. */
function inDescription(word: string, text: string): number | null {
  const whole = run(word, text, text.toLowerCase());
  const place = whole?.at[0] ?? 0;
  return whole === null || (word.length < 3 && !begins(text, place)) ? null : whole.score;
}

/** A match in one piece. */
function run(word: string, text: string, lower: string): Reading | null {
  const whole = bestRun(word, text, lower);
  if (whole === -1) return null;
  const bonus = (begins(text, whole) ? 60 : 0) + (whole === 0 ? 20 : 0) + (lower.length === word.length ? 30 : 0);
  return { score: 40 + word.length * 4 + bonus - Math.min(20, whole) * 0.5, at: Array.from(word, (_, index) => whole + index) };
}

/** The best position of the word in one piece, preferably at the start of a word. -1 if there is none. */
function bestRun(word: string, text: string, lower: string): number {
  let first = -1;
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + 1)) {
    if (begins(text, at)) return at;
    if (first === -1) first = at;
  }
  return first;
}

/** Matches initials: `rf` for `read_file`. */
function initials(word: string, text: string, lower: string): Reading | null {
  const at: number[] = [];
  for (let index = 0; index < text.length && at.length < word.length; index += 1) {
    if (lower[index] === word[at.length] && begins(text, index)) at.push(index);
  }
  return at.length === word.length ? { score: 50 + word.length * 6, at } : null;
}

function scattered(word: string, text: string, lower: string): Reading | null {
  const at: number[] = [];
  let from = 0;
  let score = 0;
  for (const letter of word) {
    let found = lower.indexOf(letter, from);
    if (found === -1) return null;
    if (found !== from || at.length === 0) {
      // A later start of a word is better than the next letter inside this word.
      for (let next = found; next !== -1; next = lower.indexOf(letter, next + 1)) {
        if (!begins(text, next)) continue;
        if (rest(word.slice(at.length + 1), lower, next + 1)) found = next;
        break;
      }
    }
    score += begins(text, found) ? 9 : found === from && at.length > 0 ? 6 : -Math.min(6, found - from);
    at.push(found);
    from = found + 1;
  }
  const spread = (at.at(-1) ?? 0) - (at[0] ?? 0) + 1;
  return score > 0 && spread <= word.length * 6 ? { score, at } : null;
}

function rest(letters: string, lower: string, from: number): boolean {
  let at = from;
  for (const letter of letters) {
    at = lower.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/**
 * Matches a query with a title and other descriptions. Every word must be found somewhere. Separate letters only count
 * in the title.
 */
export function match(query: readonly string[], title: string, also: readonly string[] = []): Match | null {
  const lower = title.toLowerCase();
  const at = new Set<number>();
  let score = 0;
  let far = false;
  for (const word of query) {
    const own = lower.length === title.length ? inName(word, title, lower) : null;
    // The title counts more than the descriptions.
    const beside = also.flatMap((other) => inDescription(word, other) ?? []).map((found) => found * 0.6);
    if (own === null && beside.length === 0) return null;
    score += Math.max(own?.score ?? 0, ...beside);
    if (own?.far && beside.length > 0) continue;
    far ||= own?.far ?? false;
    for (const position of own?.at ?? []) at.add(position);
  }
  return { score: score - title.length * 0.05, at: [...at].toSorted((a, b) => a - b), far };
}

/** The best matches: separate letters don't count if anything matches in one piece. */
export function nearest<T>(found: readonly T[], hitOf: (item: T) => Match): readonly T[] {
  const near = found.filter((item) => !hitOf(item).far);
  return near.length === 0 ? found : near;
}

/** The words of the query. */
export function words(query: string): string[] {
  return query.toLowerCase().split(/\s+/u).filter(Boolean);
}
