/** The time of day to the second, on a 24-hour clock. */
export function clockTime(unixMs: number, language: string): string {
  return new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).format(unixMs);
}
