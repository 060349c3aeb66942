// Finds a search text like the search of events does: ignoring the case of ASCII letters.

const lower = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The first position, or -1 if it isn't found or empty. */
export function placeOf(text: string, needle: string): number {
  return needle === "" ? -1 : lower(text).indexOf(lower(needle));
}

/** Splits a text at the search text: parts without it at even indexes, matches at odd ones. */
export function runsAround(text: string, needle: string): string[] {
  if (needle === "") return [text];
  const [all, wanted] = [lower(text), lower(needle)];
  const runs: string[] = [];
  let from = 0;
  for (let at = all.indexOf(wanted); at !== -1; at = all.indexOf(wanted, from)) {
    runs.push(text.slice(from, at), text.slice(at, at + needle.length));
    from = at + needle.length;
  }
  return [...runs, text.slice(from)];
}

/** How many characters are shown before a match, so that it is visible in a narrow space. */
const BEFORE = 6;

/** An excerpt that fits the room: the beginning, or around the match if it is further on. */
export function cutAround(text: string, room: number, needle: string): string {
  const at = placeOf(text, needle);
  if (at === -1 || at + needle.length <= room / 2) return text.slice(0, room);
  const from = at - Math.min(BEFORE, Math.floor(room / 4));
  const unit = text.charCodeAt(from);
  return `…${text.slice(unit >= 0xdc00 && unit <= 0xdfff ? from + 1 : from).slice(0, room)}`;
}
