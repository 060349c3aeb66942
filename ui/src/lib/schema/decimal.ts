/** Compares JSON numbers exactly, also beyond 2^53. */
import { withoutEnd } from "../trim";

interface Decimal {
  readonly negative: boolean;
  /** The digits without leading or trailing zeros. Empty for zero. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

function read(text: string): Decimal | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return null;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const all = (whole + fraction).replace(/^0+/, "");
  const digits = withoutEnd(all, "0");
  if (digits === "") return { negative: false, digits: "", exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - digits.length);
  if (!Number.isSafeInteger(exponent)) return null;
  return { negative: sign === "-", digits, exponent };
}

/** A canonical text for each value, so that 1, 1.0 and 10e-1 are equal. A number that is too large stays unchanged. */
export function sameNumberKey(text: string): string {
  const number = read(text);
  return number === null ? text : `${number.negative ? "-" : ""}${number.digits}e${number.exponent}`;
}

/** -1, 0 or 1. Null if one of them isn’t a number. */
export function compareDecimals(left: string, right: string): -1 | 0 | 1 | null {
  const a = read(left);
  const b = read(right);
  if (a === null || b === null) return null;
  if (a.digits === "" || b.digits === "") {
    if (a.digits === b.digits) return 0;
    if (a.digits === "") return b.negative ? 1 : -1;
    return a.negative ? -1 : 1;
  }
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const size = compareMagnitudes(a, b);
  if (size === 0) return 0;
  return a.negative === size > 0 ? -1 : 1;
}

function compareMagnitudes(a: Decimal, b: Decimal): number {
  const height = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (height !== 0) return height;
  const width = Math.max(a.digits.length, b.digits.length);
  const left = a.digits.padEnd(width, "0");
  const right = b.digits.padEnd(width, "0");
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Whether the number is whole: 1, 1.0 and 1e3 are, 1.5 is not. */
export function isWhole(text: string): boolean {
  const number = read(text);
  return number !== null && (number.digits === "" || number.exponent >= 0);
}
