/** The time of day to the second, on a 24-hour clock. */
export function clockTime(unixMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(unixMs);
}

/** The time of day, with the date if it isn't today. */
export function pastTime(unixMs: number, language: string, now = Date.now()): string {
  const time = clockTime(unixMs, language);
  const day = (at: number) => new Date(at).toDateString();
  if (day(unixMs) === day(now)) return time;
  return `${new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(unixMs)}, ${time}`;
}
