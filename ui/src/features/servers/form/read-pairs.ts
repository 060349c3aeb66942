// Parses pasted variables or headers: the lines of a .env file, or of a request's head.
import { type Pair, pair } from "./draft";

/** The pairs in a pasted text. Empty unless every line is a pair. */
export function readPairs(text: string, kind: "env" | "headers"): Pair[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const form = kind === "env" ? /^(?:export\s+)?([A-Za-z_]\w*)=(.*)$/ : /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):\s*(.+)$/;
  const found = lines.map((line) => form.exec(line));
  if (found.some((match) => match === null)) return [];
  return found.flatMap((match) => (match ? [pair(match[1] ?? "", (match[2] ?? "").replace(/^(["'])(.*)\1$/, "$2"))] : []));
}
