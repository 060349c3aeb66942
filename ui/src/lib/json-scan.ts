// The only scanner of JSON text: where strings, words and containers end. `schema/parse.ts` parses whole trees with it,
// and `json-tokens.ts` finds runs to highlight. Here it reads lazily and losslessly: a node is a span of the text, and
// its members are found on demand. Numbers keep their digits, and duplicate keys and their order stay. Opening one
// level of a large body costs one pass over it. Invalid parts are reported in place.

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** A value: its kind and its position in the text. */
export interface JsonNode {
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  /** The decoded key. Null in an array. */
  readonly key: string | null;
  readonly index: number;
  readonly value: JsonNode;
}

/** The text is invalid at this offset. */
export class JsonScanError extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super(`not JSON at offset: ${offset}`);
    this.name = "JsonScanError";
    this.offset = offset;
  }
}

/** The result of `read`, or `otherwise` if the text is invalid. */
export function unlessBroken<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonScanError) return otherwise;
    throw error;
  }
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A word between strings and brackets without spaces: a number, `true`, or something invalid. */
const WORD = /[^\s,:[\]{}"]*/y;
const STRUCTURE = /["[\]{}]/g;

/** Whether a text is a number in JSON's grammar. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);

/** The position after the white space at `start`. */
export function spaceEnd(text: string, start: number): number {
  let index = start;
  for (;;) {
    const code = text.charCodeAt(index);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return index;
    index += 1;
  }
}

/** The position after the string that starts at `start`. Null if it isn't closed. */
export function stringEnd(text: string, start: number): number | null {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return null;
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The position after the word at `start`, which may be empty. */
export function wordEnd(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : start;
}

/** The kind of a word. Null if it isn't valid JSON. */
export function kindOfWord(word: string): "boolean" | "null" | "number" | null {
  if (word === "true" || word === "false") return "boolean";
  if (word === "null") return "null";
  return NUMBER.test(word) ? "number" : null;
}

export interface Run {
  readonly kind: JsonKind | "space" | "mark" | "unknown";
  readonly start: number;
  readonly end: number;
}

/** The strings, words, marks and spaces of a text in order, without gaps, valid or not. */
export function* runsOf(text: string): Generator<Run, void, undefined> {
  let start = 0;
  while (start < text.length) {
    let end = spaceEnd(text, start);
    let kind: Run["kind"] = "space";
    if (end === start && text.charCodeAt(start) === QUOTE) {
      kind = "string";
      end = stringEnd(text, start) ?? text.length;
    } else if (end === start) {
      end = wordEnd(text, start);
      kind = kindOfWord(text.slice(start, end)) ?? "unknown";
    }
    if (end === start) {
      kind = "mark";
      end += 1;
    }
    yield { kind, start, end };
    start = end;
  }
}

function endOfString(text: string, start: number): number {
  const end = stringEnd(text, start);
  if (end === null) throw new JsonScanError(start);
  return end;
}

/** The position after the container that starts at `start`, by its brackets only. */
function endOfContainer(text: string, start: number): number {
  const open: number[] = [];
  STRUCTURE.lastIndex = start;
  while (STRUCTURE.test(text)) {
    const at = STRUCTURE.lastIndex - 1;
    const code = text.charCodeAt(at);
    if (code === QUOTE) STRUCTURE.lastIndex = endOfString(text, at);
    else if (code === OPEN_BRACE) open.push(CLOSE_BRACE);
    else if (code === OPEN_BRACKET) open.push(CLOSE_BRACKET);
    else if (open.pop() !== code) throw new JsonScanError(at);
    else if (open.length === 0) return at + 1;
  }
  throw new JsonScanError(start);
}

function valueAt(text: string, start: number): JsonNode {
  const code = text.charCodeAt(start);
  if (code === OPEN_BRACE) return { kind: "object", start, end: endOfContainer(text, start) };
  if (code === OPEN_BRACKET) return { kind: "array", start, end: endOfContainer(text, start) };
  if (code === QUOTE) return { kind: "string", start, end: endOfString(text, start) };
  const end = wordEnd(text, start);
  const kind = kindOfWord(text.slice(start, end));
  if (kind === null) throw new JsonScanError(start);
  return { kind, start, end };
}

/** The only value of a text. Throws `JsonScanError` otherwise. */
export function rootOf(text: string): JsonNode {
  const root = valueAt(text, spaceEnd(text, 0));
  const end = spaceEnd(text, root.end);
  if (end < text.length) throw new JsonScanError(end);
  return root;
}

/** The members of an object or array. Throws `JsonScanError` where the text is invalid. */
export function* membersOf(text: string, node: JsonNode): Generator<JsonMember, void, undefined> {
  const keyed = node.kind === "object";
  if (!keyed && node.kind !== "array") return;
  const last = node.end - 1;
  let at = spaceEnd(text, node.start + 1);
  for (let index = 0; at < last; index += 1) {
    let key: string | null = null;
    if (keyed) {
      if (text.charCodeAt(at) !== QUOTE) throw new JsonScanError(at);
      const end = endOfString(text, at);
      key = decode(text.slice(at, end));
      at = spaceEnd(text, end);
      if (text.charCodeAt(at) !== COLON) throw new JsonScanError(at);
      at = spaceEnd(text, at + 1);
    }
    const value = valueAt(text, at);
    yield { key, index, value };
    at = spaceEnd(text, value.end);
    if (at === last) return;
    if (text.charCodeAt(at) !== COMMA) throw new JsonScanError(at);
    at = spaceEnd(text, at + 1);
    if (at >= last) throw new JsonScanError(at);
  }
}

export interface JsonSlice {
  readonly members: readonly JsonMember[];
  readonly more: boolean;
}

/** The first `limit` members. */
export function sliceOf(text: string, node: JsonNode, limit: number): JsonSlice {
  const members: JsonMember[] = [];
  for (const member of membersOf(text, node)) {
    if (members.length === limit) return { members, more: true };
    members.push(member);
  }
  return { members, more: false };
}

/** The number of members. Null if counting would read more than `budget` characters. */
export function countOf(text: string, node: JsonNode, budget = 65_536): number | null {
  if (node.end - node.start > budget) return null;
  let count = 0;
  for (const _ of membersOf(text, node)) count += 1;
  return count;
}

/** A scalar as written, or a decoded string. */
export function scalarOf(text: string, node: JsonNode): string {
  const source = text.slice(node.start, node.end);
  return node.kind === "string" ? decode(source) : source;
}

/** The value at a path of keys, or null. The first of duplicate keys wins. */
export function at(text: string, ...path: readonly string[]): JsonNode | null {
  const down = (from: JsonNode, key: string): JsonNode | null => {
    for (const member of membersOf(text, from)) if (member.key === key) return member.value;
    return null;
  };
  return unlessBroken(() => path.reduce<JsonNode | null>((node, key) => node && down(node, key), rootOf(text)), null);
}

/** The string at a path of keys, or null. */
export function stringAt(text: string, ...path: readonly string[]): string | null {
  const node = at(text, ...path);
  return node?.kind === "string" ? scalarOf(text, node) : null;
}

function decode(source: string): string {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === "string" ? value : source;
  } catch {
    // An unknown escape, or a raw control character: shown as it was sent.
    return source.slice(1, -1);
  }
}
