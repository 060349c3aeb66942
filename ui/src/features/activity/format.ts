// Times on the Activity screen. Called for every visible row in every frame of a live feed, so nothing here creates a
// formatter per call.

let lastSecond = -1;
let lastClock = "";

const two = (value: number): string => (value < 10 ? `0${value}` : String(value));

/** Local time of day with milliseconds, `12:04:31.020`, from Unix microseconds. */
export function formatClock(at: number): string {
  const second = Math.floor(at / 1_000_000);
  if (second !== lastSecond) {
    const date = new Date(second * 1_000);
    lastClock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
    lastSecond = second;
  }
  const milli = Math.floor(at / 1_000) - second * 1_000;
  return `${lastClock}.${String(milli).padStart(3, "0")}`;
}

/** The local calendar day as a number such as 20251120, to detect day changes. */
export function dayOf(at: number): number {
  const date = new Date(at / 1_000);
  return date.getFullYear() * 10_000 + (date.getMonth() + 1) * 100 + date.getDate();
}

const days = new Map<string, Intl.DateTimeFormat>();

/** A day as text: `20 Nov`, with the year if it isn't the current one. */
export function formatDay(at: number, language: string, now = Date.now()): string {
  const date = new Date(at / 1_000);
  const year = date.getFullYear() !== new Date(now).getFullYear();
  const key = `${language}${year ? "+" : ""}`;
  let format = days.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", ...(year ? { year: "numeric" } : {}) });
    days.set(key, format);
  }
  return format.format(date);
}

/** ISO 8601 in local time with microseconds and offset: the exact time of an event, for copying. */
export function formatStamp(at: number): string {
  const date = new Date(Math.floor(at / 1_000));
  const ahead = -date.getTimezoneOffset();
  const offset = `${ahead < 0 ? "-" : "+"}${two(Math.floor(Math.abs(ahead) / 60))}:${two(Math.abs(ahead) % 60)}`;
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${formatClock(at)}${String(at % 1_000).padStart(3, "0")}${offset}`;
}

/** The local date and time with milliseconds: `Nov 20, 2025, 12:04:31.020`. */
export function formatLocal(at: number, language: string): string {
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at / 1_000);
  return `${day}${language.startsWith("zh") ? " " : ", "}${formatClock(at)}`;
}

/** The local time zone at a moment: `GMT+1`. */
export function zoneOf(at: number, language: string): string {
  const parts = new Intl.DateTimeFormat(language, { timeZoneName: "short" }).formatToParts(at / 1_000);
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** ISO 8601 in UTC with microseconds, as in other servers' logs. */
export function formatUtc(at: number): string {
  const second = new Date(Math.floor(at / 1_000_000) * 1_000).toISOString().slice(0, 19);
  return `${second}.${String(at % 1_000_000).padStart(6, "0")}Z`;
}
