/** Checks of JSON Schema's string formats, strict enough to help and lenient where the RFCs are. */
import type { StringFormat } from "./model";

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether the text has the format; formats not known here always do. */
export function hasFormat(text: string, format: StringFormat): boolean {
  switch (format) {
    case "date":
      return isDate(text);
    case "time":
      return TIME.test(text);
    case "date-time": {
      const [date = "", time = ""] = text.split(/[Tt]/, 2);
      return isDate(date) && TIME.test(time);
    }
    case "email":
      return text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text);
    case "uri":
      return /^[A-Za-z][A-Za-z0-9+.-]*:[^\s]*$/.test(text);
    case "uuid":
      return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
    case "password":
    case "other":
      return true;
  }
}

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day <= (days[month - 1] ?? 0);
}
