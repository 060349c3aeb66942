// JSON text cut into coloured runs without parsing it into values: numbers and escapes stay as written.
import { closeOf } from "./json-scan";

export interface Token {
  readonly kind: "key" | "string" | "value" | "plain";
  readonly text: string;
}

const QUOTE = 34;
const lexeme = /-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[^\s"{}[\],:]+/y;

interface Run {
  readonly index: number;
  readonly text: string;
}

function* runsOf(text: string): Generator<Run, void, undefined> {
  let index = 0;
  while (index < text.length) {
    let end: number;
    if (text.charCodeAt(index) === QUOTE) end = closeOf(text, index) ?? text.length;
    else {
      lexeme.lastIndex = index;
      end = lexeme.test(text) ? lexeme.lastIndex : index + 1;
    }
    yield { index, text: text.slice(index, end) };
    index = end;
  }
}

/** The runs of a JSON text, in order; together they are the text. Never fails on bad JSON. */
export function jsonTokens(text: string): Token[] {
  const out: Token[] = [];
  const push = (kind: Token["kind"], run: string) => {
    const before = out.at(-1);
    if (before?.kind === kind && kind === "plain") out[out.length - 1] = { kind, text: before.text + run };
    else out.push({ kind, text: run });
  };
  for (const { index, text: run } of runsOf(text)) {
    if (run.startsWith('"')) {
      let after = index + run.length;
      while (/\s/.test(text[after] ?? "")) after += 1;
      push(text[after] === ":" ? "key" : "string", run);
    } else if (/^(?:-?\d|true$|false$|null$)/.test(run)) push("value", run);
    else push("plain", run);
  }
  return out;
}

/** The same JSON with line breaks and two-space steps; every token stays byte for byte. */
export function indentJson(text: string): string {
  let out = "";
  let depth = 0;
  let opened = false;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const { text: run } of runsOf(text)) {
    if (/^\s/.test(run)) continue;
    if (run === "}" || run === "]") {
      depth = Math.max(0, depth - 1);
      out += opened ? run : line() + run;
      opened = false;
      continue;
    }
    if (opened) out += line();
    opened = false;
    if (run === "{" || run === "[") {
      depth += 1;
      opened = true;
      out += run;
    } else if (run === ",") out += run + line();
    else if (run === ":") out += ": ";
    else out += run;
  }
  return out;
}
