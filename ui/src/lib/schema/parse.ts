/** Parses JSON text into the lossless tree, with errors that have a line and a column. */
import { kindOfWord, spaceEnd, stringEnd, wordEnd } from "../json-scan";
import type { JsonMember, JsonNode } from "./json";

/** The kind of mistake. Each has a message in both languages. */
export type JsonErrorCode =
  | "empty"
  | "unexpectedEnd"
  | "unexpectedCharacter"
  | "badNumber"
  | "badEscape"
  | "controlCharacter"
  | "unclosedString"
  | "singleQuotes"
  | "trailingComma"
  | "expectedKey"
  | "expectedColon"
  | "expectedComma"
  | "afterEnd"
  | "tooDeep"
  | "tooMany";

export interface JsonError {
  readonly code: JsonErrorCode;
  /** The offset in the text. */
  readonly offset: number;
  /** The offset after the wrong part. */
  readonly end: number;
  /** One-based. */
  readonly line: number;
  /** One-based, in UTF-16 units. */
  readonly column: number;
  /** The wrong character or word. Empty at the end of the text. */
  readonly found: string;
}

export type JsonParse =
  | { readonly ok: true; readonly node: JsonNode; readonly nodes: number; readonly repeated: boolean }
  | { readonly ok: false; readonly error: JsonError };

export interface JsonLimits {
  readonly depth: number;
  readonly nodes: number;
}

const LIMITS: JsonLimits = { depth: 256, nodes: 2_000_000 };

class Refused extends Error {
  readonly code: JsonErrorCode;
  readonly offset: number;
  readonly end: number;
  constructor(code: JsonErrorCode, offset: number, end: number) {
    super(code);
    this.code = code;
    this.offset = offset;
    this.end = end;
  }
}

/** Parses a JSON document. Never throws. */
export function parseJson(text: string, limits: JsonLimits = LIMITS): JsonParse {
  const reader = new Reader(text, limits);
  try {
    const node = reader.document();
    return { ok: true, node, nodes: reader.nodes, repeated: reader.repeated };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const before = text.slice(0, error.offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    let line = 1;
    for (let index = before.indexOf("\n"); index >= 0; index = before.indexOf("\n", index + 1)) line += 1;
    return {
      ok: false,
      error: {
        code: error.code,
        offset: error.offset,
        end: error.end,
        line,
        column: error.offset - lineStart + 1,
        found: text.slice(error.offset, error.end).slice(0, 24),
      },
    };
  }
}

/** A string or a word that may follow a missing comma. */
const TOKEN = /"(?:[^"\\\n]|\\.)*"?|[\w.+-]+/y;

/** JSON's escapes in a string. */
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Reader {
  nodes = 0;
  repeated = false;
  private position = 0;
  private readonly text: string;
  private readonly limits: JsonLimits;

  constructor(text: string, limits: JsonLimits) {
    this.text = text;
    this.limits = limits;
    if (text.charCodeAt(0) === 0xfeff) this.position = 1;
  }

  document(): JsonNode {
    this.space();
    if (this.position >= this.text.length) this.refuse("empty");
    const node = this.value(0);
    this.space();
    if (this.position < this.text.length) this.refuse("afterEnd", this.position, this.text.length);
    return node;
  }

  private refuse(code: JsonErrorCode, offset = this.position, end = offset + 1): never {
    throw new Refused(code, offset, Math.min(end, this.text.length));
  }

  private space(): void {
    this.position = spaceEnd(this.text, this.position);
  }

  private value(depth: number): JsonNode {
    if (depth > this.limits.depth) this.refuse("tooDeep");
    this.nodes += 1;
    if (this.nodes > this.limits.nodes) this.refuse("tooMany");
    const from = this.position;
    switch (this.text[from]) {
      case undefined:
        return this.refuse("unexpectedEnd");
      case "{":
        return this.object(depth);
      case "[":
        return this.array(depth);
      case '"':
        return { kind: "string", value: this.string(), from, to: this.position };
      case "'":
        return this.refuse("singleQuotes");
      default:
        return this.word(from);
    }
  }

  private word(from: number): JsonNode {
    const to = wordEnd(this.text, from);
    const text = this.text.slice(from, to);
    const kind = kindOfWord(text);
    if (kind === null) return this.refuse(/^[-+.\d]/.test(text) ? "badNumber" : "unexpectedCharacter", from, Math.max(to, from + 1));
    this.position = to;
    if (kind === "boolean") return { kind, value: text === "true", from, to };
    return kind === "null" ? { kind, from, to } : { kind, text, from, to };
  }

  private string(): string {
    const start = this.position;
    const end = stringEnd(this.text, start);
    if (end === null) return this.refuseString(start);
    this.position = end;
    try {
      return JSON.parse(this.text.slice(start, end)) as string;
    } catch {
      return this.refuseString(start);
    }
  }

  /** Reports what is wrong with an invalid string. */
  private refuseString(start: number): never {
    const { text } = this;
    for (let at = start + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      // A line break in a string nearly always means a missing quote.
      if (code === 10 || code === 13) this.refuse("unclosedString", start, at + 1);
      if (code < 32) this.refuse("controlCharacter", at);
      if (text[at] !== "\\") continue;
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) this.refuse("badEscape", at, at + (text[at + 1] === "u" ? 6 : 2));
      at = ESCAPE.lastIndex - 1;
    }
    return this.refuse("unclosedString", start, text.length);
  }

  private array(depth: number): JsonNode {
    const from = this.position;
    const items: JsonNode[] = [];
    this.entries("]", () => items.push(this.value(depth + 1)));
    return { kind: "array", items, from, to: this.position };
  }

  private object(depth: number): JsonNode {
    const from = this.position;
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    this.entries("}", () => {
      const char = this.text[this.position];
      if (char === undefined) this.refuse("unexpectedEnd");
      if (char === "'") this.refuse("singleQuotes");
      if (char !== '"') this.refuse("expectedKey");
      const key = this.string();
      if (seen.has(key)) this.repeated = true;
      seen.add(key);
      this.space();
      if (this.position >= this.text.length) this.refuse("unexpectedEnd");
      if (this.text[this.position] !== ":") this.refuse("expectedColon");
      this.position += 1;
      this.space();
      members.push({ key, value: this.value(depth + 1) });
    });
    return { kind: "object", members, from, to: this.position };
  }

  /** Parses the entries up to the closing bracket, and the commas between them. */
  private entries(close: "]" | "}", read: () => void): void {
    this.position += 1;
    this.space();
    // After a comma there must be an entry. The loop only ends here if there are no entries.
    while (this.text[this.position] !== close) {
      read();
      this.space();
      const char = this.text[this.position];
      if (char === close) break;
      if (char === undefined) this.refuse("unexpectedEnd");
      if (char !== ",") {
        TOKEN.lastIndex = this.position;
        TOKEN.test(this.text);
        this.refuse("expectedComma", this.position, Math.max(this.position + 1, TOKEN.lastIndex));
      }
      const comma = this.position;
      this.position += 1;
      this.space();
      if (this.text[this.position] === close) this.refuse("trailingComma", comma);
    }
    this.position += 1;
  }
}
