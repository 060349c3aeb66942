// Parses JSON that may end anywhere, such as the preview of a message.

export interface CutJson {
  readonly value: unknown;
  /** Whether the text ends inside this object or array. */
  readonly isCut: (container: object) => boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|["{}[\],:]|[^\s"{}[\],:]+/gs;

/** Parses a JSON text or the beginning of one. A truncated string ends in “…”. Null for anything else. */
export function readCut(text: string): CutJson | null {
  const { whole, open } = closed(text);
  let value: unknown;
  try {
    value = JSON.parse(whole);
  } catch {
    return null;
  }
  const cut = new Set<unknown>();
  // The truncated value is the last member of its parent.
  for (let node = value, left = open; left > 0 && isObject(node); left -= 1) {
    cut.add(node);
    node = Object.values(node).at(-1);
  }
  return { value, isCut: (container) => cut.has(container) };
}

/** Closes everything that the text leaves open. Returns how many objects and arrays that were. */
function closed(text: string): { whole: string; open: number } {
  const closers: string[] = [];
  /** The end of the last bracket or complete value. */
  let end = 0;
  let isKey = false;
  const close = (start: string) => ({ whole: start + closers.toReversed().join(""), open: closers.length });
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const behind = index + token.length;
    if (token === "{" || token === "[") {
      closers.push(token === "{" ? "}" : "]");
      isKey = token === "{";
      end = behind;
    } else if (token === "}" || token === "]") {
      closers.pop();
      end = behind;
    } else if (token === ",") isKey = closers.at(-1) === "}";
    else if (token === ":") isKey = false;
    else if (token === '"') return isKey ? close(text.slice(0, end)) : close(`${withoutHalfEscape(text)}…"`);
    // A number or word at the very end may be truncated.
    else if (!isKey && (token.startsWith('"') || behind < text.length)) end = behind;
  }
  return closers.length === 0 ? { whole: text, open: 0 } : close(text.slice(0, end));
}

const withoutHalfEscape = (text: string): string => text.replace(/((?:^|[^\\])(?:\\\\)*)\\(?:u[\da-f]{0,3})?$/i, "$1");

/** JSON in a text, formatted as elsewhere. */
export function unfolded(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  const json = readCut(text.endsWith("…") ? text.slice(0, -1) : text);
  return (json && isObject(json.value) && flat(json.value, json)) || text;
}

/** A value on one line, without its brackets. */
export function flat(value: unknown, json: CutJson): string {
  if (!isObject(value)) return scalar(value);
  const members = Array.isArray(value)
    ? value.map((member) => nested(member, json))
    : Object.entries(value)
        .filter(([key]) => key !== "_meta" && key !== "resultType")
        .map(([key, member]) => `${key}: ${nested(member, json)}`);
  const told = members.join(", ");
  // If the text ends inside a member, that already shows it.
  return told === "" || !json.isCut(value) || /…[\]}]*$/.test(told) ? told : `${told}, …`;
}

function nested(value: unknown, json: CutJson): string {
  if (!isObject(value)) return scalar(value);
  const inner = flat(value, json) || (json.isCut(value) ? "…" : "");
  return Array.isArray(value) ? `[${inner}]` : `{${inner}}`;
}

const scalar = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
export const object = (value: unknown): object => (isObject(value) ? value : {});
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : isObject(value) ? [value] : []);
export const words = (value: unknown): string[] => list(value).filter((item) => typeof item === "string");
export const spaced = (...parts: string[]): string => parts.filter((part) => part !== "").join(" ");

export const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (node, key) => (isObject(node) && Object.hasOwn(node, key) ? (node as Record<string, unknown>)[key] : undefined),
    value,
  );

/** The text or number at a path. */
export const word = (value: unknown, ...path: string[]): string => {
  const found = at(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
};
