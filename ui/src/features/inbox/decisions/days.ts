// The days that decisions stand under.

const dayOf = (at: number): number => {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
};

/** Whether two moments lie on one day of this computer's calendar. */
export const isSameDay = (one: number, other: number): boolean => dayOf(one) === dayOf(other);

/** A day as people call it: today, yesterday, or its date. */
export function dayName(at: number, now: number, language: string): string {
  // A day has 23 to 25 hours.
  const ago = Math.round((dayOf(now) - dayOf(at)) / 86_400_000);
  if (ago > 1 || ago < 0)
    return new Intl.DateTimeFormat(language, { weekday: "long", year: "numeric", month: "short", day: "numeric" }).format(at);
  const name = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-ago, "day");
  return name.charAt(0).toUpperCase() + name.slice(1);
}
