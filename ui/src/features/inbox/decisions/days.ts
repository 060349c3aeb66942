// The days that decisions are grouped by.

const dayOf = (at: number): number => {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
};

/** Whether two times are on the same local day. */
export const isSameDay = (one: number, other: number): boolean => dayOf(one) === dayOf(other);

/** The name of a day: today, yesterday, or its date. */
export function dayName(at: number, now: number, language: string): string {
  // A day has 23 to 25 hours.
  const ago = Math.round((dayOf(now) - dayOf(at)) / 86_400_000);
  if (ago > 1 || ago < 0)
    return new Intl.DateTimeFormat(language, { weekday: "long", year: "numeric", month: "short", day: "numeric" }).format(at);
  const name = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-ago, "day");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
