// Where a text that was searched for stands in another, as the search of events finds it: whatever the case of ASCII
// letters.

const lower = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Where it stands first; -1 where it does not, or is nothing. */
export function placeOf(text: string, needle: string): number {
  return needle === "" ? -1 : lower(text).indexOf(lower(needle));
}

/** The runs of a text, those without the needle at even places and those that are it at odd ones. */
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

/** So many characters stand before what was searched for, so that it is in sight however narrow its place is. */
const BEFORE = 6;

/** As much of a text as there is room for: its beginning, or around what was searched for where that stands far behind. */
export function cutAround(text: string, room: number, needle: string): string {
  const at = placeOf(text, needle);
  if (at === -1 || at + needle.length <= room / 2) return text.slice(0, room);
  const from = at - Math.min(BEFORE, Math.floor(room / 4));
  const unit = text.charCodeAt(from);
  return `…${text.slice(unit >= 0xdc00 && unit <= 0xdfff ? from + 1 : from).slice(0, room)}`;
}
