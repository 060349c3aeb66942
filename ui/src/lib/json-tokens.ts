// JSON text cut into coloured runs without parsing it into values: numbers and escapes stay as written.
export interface Token {
  readonly kind: "key" | "string" | "value" | "plain";
  readonly text: string;
}

const lexeme = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]|\s+|[^\s"{}[\],:]+/g;

/** The runs of a JSON text, in order; together they are the text. Never fails on bad JSON. */
export function jsonTokens(text: string): Token[] {
  const out: Token[] = [];
  const push = (kind: Token["kind"], run: string) => {
    const before = out.at(-1);
    if (before?.kind === kind && kind === "plain") out[out.length - 1] = { kind, text: before.text + run };
    else out.push({ kind, text: run });
  };
  for (const match of text.matchAll(lexeme)) {
    const run = match[0];
    if (run.startsWith('"')) {
      let after = match.index + run.length;
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
  for (const match of text.matchAll(lexeme)) {
    const run = match[0];
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
