/** Reads JSON text into the lossless tree, with errors that name line and column. */
import type { JsonMember, JsonNode } from "./json";

/** What is wrong with the text; each has a message in both languages. */
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
  /** Offset in the text. */
  readonly offset: number;
  /** Offset after the offending part. */
  readonly end: number;
  /** One-based. */
  readonly line: number;
  /** One-based, in UTF-16 units. */
  readonly column: number;
  /** The offending character or word, empty at the end of the text. */
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

/** Reads one JSON document; never throws. */
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

const QUOTE = 34;
const BACKSLASH = 92;

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
    for (;;) {
      const char = this.text.charCodeAt(this.position);
      if (char === 32 || char === 10 || char === 13 || char === 9) this.position += 1;
      else return;
    }
  }

  private value(depth: number): JsonNode {
    if (depth > this.limits.depth) this.refuse("tooDeep");
    this.nodes += 1;
    if (this.nodes > this.limits.nodes) this.refuse("tooMany");
    const from = this.position;
    const char = this.text[from];
    switch (char) {
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
    const pattern = /[^\s,:[\]{}"]*/y;
    pattern.lastIndex = from;
    const word = pattern.exec(this.text)?.[0] ?? "";
    const to = from + word.length;
    this.position = to;
    if (word === "true" || word === "false") return { kind: "boolean", value: word === "true", from, to };
    if (word === "null") return { kind: "null", from, to };
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word)) {
      return { kind: "number", text: word, from, to };
    }
    return this.refuse(/^[-+.\d]/.test(word) ? "badNumber" : "unexpectedCharacter", from, Math.max(to, from + 1));
  }

  private string(): string {
    const { text } = this;
    const start = this.position;
    let chunk = start + 1;
    let out = "";
    let index = chunk;
    for (;;) {
      const char = text.charCodeAt(index);
      if (char === QUOTE) break;
      if (char === BACKSLASH) {
        out += text.slice(chunk, index);
        const escape = text[index + 1] ?? "";
        if (escape === "u") {
          const hex = text.slice(index + 2, index + 6);
          if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.refuse("badEscape", index, index + 6);
          out += String.fromCharCode(Number.parseInt(hex, 16));
          index += 6;
        } else {
          const plain = ESCAPES.get(escape);
          if (plain === undefined) this.refuse("badEscape", index, index + 2);
          out += plain;
          index += 2;
        }
        chunk = index;
      } else if (char < 32) {
        // A line break inside a string nearly always means a missing quote.
        this.refuse(
          char === 10 || char === 13 ? "unclosedString" : "controlCharacter",
          char === 10 || char === 13 ? start : index,
          index + 1,
        );
      } else if (Number.isNaN(char)) {
        this.refuse("unclosedString", start, text.length);
      } else {
        index += 1;
      }
    }
    this.position = index + 1;
    return out + text.slice(chunk, index);
  }

  private array(depth: number): JsonNode {
    const from = this.position;
    const items: JsonNode[] = [];
    this.position += 1;
    this.space();
    if (this.text[this.position] === "]") this.position += 1;
    else {
      for (;;) {
        items.push(this.value(depth + 1));
        if (this.separator("]")) break;
      }
    }
    return { kind: "array", items, from, to: this.position };
  }

  private object(depth: number): JsonNode {
    const from = this.position;
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    this.position += 1;
    this.space();
    if (this.text[this.position] === "}") this.position += 1;
    else {
      for (;;) {
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
        if (this.separator("}")) break;
      }
    }
    return { kind: "object", members, from, to: this.position };
  }

  /** Past a comma (false) or the closing bracket (true). */
  private separator(close: "]" | "}"): boolean {
    this.space();
    const char = this.text[this.position];
    if (char === close) {
      this.position += 1;
      return true;
    }
    if (char === undefined) this.refuse("unexpectedEnd");
    if (char !== ",") this.refuse("expectedComma");
    const comma = this.position;
    this.position += 1;
    this.space();
    if (this.text[this.position] === close) this.refuse("trailingComma", comma);
    return false;
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);
