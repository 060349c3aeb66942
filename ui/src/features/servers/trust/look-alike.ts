// Detects host names that imitate others.

/** Letters that look like others. */
const READ_AS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, "m"],
  [/vv/g, "w"],
  [/cl/g, "d"],
  [/[1i|]/g, "l"],
  [/0/g, "o"],
  [/5/g, "s"],
  [/[-_]/g, ""],
];

/** The registrable part of a host: the last two names, or three for second-level domains of countries. */
function domainOf(host: string): string {
  const names = host.toLowerCase().split(".");
  const [top = "", second = ""] = names.toReversed();
  return names.slice(top.length === 2 && second.length <= 3 ? -3 : -2).join(".");
}

const asRead = (name: string) => READ_AS.reduce((text, [letters, as]) => text.replaceAll(letters, as), name);

/** Whether the edit distance of two names is at most `most`. */
function isNear(one: string, other: string, most = 2): boolean {
  if (Math.abs(one.length - other.length) > most) return false;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1)
      next.push(Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1)));
    row = next;
  }
  return (row.at(-1) ?? 0) <= most;
}

/** Whether two hosts belong to different owners, but look as if they didn't. */
export function isLookAlike(before: string, now: string): boolean {
  const [one, other] = [domainOf(before), domainOf(now)];
  if (one === other) return false;
  // Short names are often similar.
  return asRead(one) === asRead(other) || (Math.min(one.length, other.length) >= 8 && isNear(one, other));
}
