// Formats figures. Milliseconds and sizes are the same in every language. Longer times, digits and separators follow
// the language.
const cache = new Map<string, Intl.NumberFormat>();

function number(language: string, value: number, digits: number): string {
  const key = `${language}/${digits}`;
  let format = cache.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, { maximumFractionDigits: digits });
    cache.set(key, format);
  }
  return format.format(value);
}

/** A plain count. */
export const formatCount = (value: number, language: string): string => number(language, value, 0);

/** A percentage, with a decimal if it is less than one: `0.4%`, `12%`. */
export const formatPercent = (value: number, language: string): string =>
  `${number(language, value, value > 0.05 && value < 0.95 ? 1 : 0)}%`;

/** Adds spaces between figures and Chinese characters. */
const spaced = (text: string, language: string): string =>
  language.startsWith("zh") ? text.replaceAll(/(\d)(?=\p{Script=Han})/gu, "$1 ") : text;

/** The units of a duration: a single unit, and minutes next to seconds or hours. */
const inEnglish = { second: "s", minute: "min", minuteOf: "min", hour: "h" };
const inChinese = { second: "秒", minute: "分钟", minuteOf: "分", hour: "小时" };

/** A duration given in milliseconds: `0.4 ms`, `184 ms`, `1.9 s`, `3 min 5 s`; in Chinese `3 分 5 秒`. */
export function formatMs(ms: number, language: string): string {
  const unit = language.startsWith("zh") ? inChinese : inEnglish;
  if (ms < 9.95) return `${number(language, ms, ms < 0.95 ? 2 : 1)} ms`;
  if (ms < 999.5) return `${number(language, ms, 0)} ms`;
  if (ms < 59_950) return `${number(language, ms / 1000, ms < 9_950 ? 1 : 0)} ${unit.second}`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600)
    return seconds % 60 === 0
      ? `${seconds / 60} ${unit.minute}`
      : `${Math.floor(seconds / 60)} ${unit.minuteOf} ${seconds % 60} ${unit.second}`;
  const minutes = Math.round(seconds / 60);
  return minutes % 60 === 0 ? `${minutes / 60} ${unit.hour}` : `${Math.floor(minutes / 60)} ${unit.hour} ${minutes % 60} ${unit.minuteOf}`;
}

/** An approximate duration in one unit and the language's words: `12 min`, `9 hr`. */
export function formatSpan(ms: number, language: string): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const unit = (value: number, name: "second" | "minute" | "hour" | "day") =>
    spaced(
      new Intl.NumberFormat(language, { style: "unit", unit: name, unitDisplay: "long", maximumFractionDigits: 0 }).format(value),
      language,
    );
  if (seconds < 60) return unit(seconds, "second");
  if (seconds < 3600) return unit(Math.round(seconds / 60), "minute");
  if (seconds < 48 * 3600) return unit(Math.round(seconds / 3600), "hour");
  return unit(Math.round(seconds / 86_400), "day");
}

/** A time as date and time of day, to the minute. */
export function formatMoment(at: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(at);
}

/** A size in bytes, in binary units: `312 B`, `2.1 KiB`, `4 MiB`. */
export function formatBytes(bytes: number, language: string): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${number(language, value, unit > 0 && value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

/** How long ago it was: `4 seconds ago`, in the language's words. */
export function formatAgo(from: number, now: number, language: string): string {
  // A clock that is only updated now and then may be behind an event.
  const seconds = Math.min(Math.round((from - now) / 1000), 0);
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "long" });
  const ago = (value: number, unit: Intl.RelativeTimeFormatUnit) => spaced(format.format(value, unit), language);
  // Chinese doesn't use its word for "now" for past events.
  if (seconds === 0 && language.startsWith("zh")) return "刚刚";
  const absolute = Math.abs(seconds);
  if (absolute < 60) return ago(seconds, "second");
  if (absolute < 3600) return ago(Math.round(seconds / 60), "minute");
  if (absolute < 86_400) return ago(Math.round(seconds / 3600), "hour");
  return ago(Math.round(seconds / 86_400), "day");
}

/** Words as a list: `tools, prompts, and tasks`. */
export function formatList(words: readonly string[], language: string): string {
  // In Chinese the word for "and" could be read as part of the word before it.
  return language.startsWith("zh") ? words.join("、") : new Intl.ListFormat(language, { type: "conjunction" }).format(words);
}
