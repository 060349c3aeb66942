// Splits JSON text into runs to highlight, without parsing values: numbers and escapes stay as written.
import { runsOf, spaceEnd } from "./json-scan";

export interface Token {
  readonly kind: "key" | "string" | "value" | "plain";
  readonly text: string;
}

/** The runs of a JSON text in order, without gaps. Never fails on invalid JSON. */
export function jsonTokens(text: string): Token[] {
  const out: Token[] = [];
  for (const { kind, start, end } of runsOf(text)) {
    const run = text.slice(start, end);
    const before = out.at(-1);
    if (kind === "string") out.push({ kind: text[spaceEnd(text, end)] === ":" ? "key" : "string", text: run });
    else if (kind === "number" || kind === "boolean" || kind === "null") out.push({ kind: "value", text: run });
    else if (before?.kind === "plain") out[out.length - 1] = { kind: "plain", text: before.text + run };
    else out.push({ kind: "plain", text: run });
  }
  return out;
}

/** JSON with line breaks and two-space indentation. Every token stays identical. */
export function indentJson(text: string): string {
  let out = "";
  let depth = 0;
  let opened = false;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const { kind, start, end } of runsOf(text)) {
    if (kind === "space") continue;
    const run = text.slice(start, end);
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
