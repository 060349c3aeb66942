// Detects Markdown, and stores how the person wants to see it. The renderer is only loaded when needed.
import { KeyedStore, useKeyed } from "./keyed-store";

/** The most characters that are rendered. Longer text is shown as source. */
export const MAX_RENDERED = 256 << 10;
/** How many characters are checked to detect Markdown. */
const LOOKED_AT = 32 << 10;

const FENCE = /^ {0,3}(```|~~~)[^`\n]*\n[^]*?^ {0,3}\1/m;
const LINK = /\[[^\]\n]{1,200}\]\((?:https?:|mailto:)[^)\s]{1,2000}\)/i;
/** With blank lines around it, because many adjacent lines with `#` are comments in a program. */
const HEADING = /(?:^|\n[ \t]*\n) {0,3}#{1,6} [^\n]*(?=\n[ \t]*\n|\n?$)/g;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) \S[^\n]*\n(?:[ \t]*\n)?(?: {2,}[^\n]*\n)* {0,3}(?:[-*+]|\d{1,9}[.)]) \S/m;
const BOLD = /(?:^|[\s(])(\*\*|__)[^\s*_][^*_\n]{0,200}\1(?![*_\w])/m;
const QUOTE = /^ {0,3}> \S/m;
/** A key that starts a block means that the text is a configuration. */
const CONFIGURATION = /^[\w.-]+:[ \t]*$/m;

/** A row of dashes below a row with cells. */
const hasTable = (text: string) =>
  text
    .split("\n")
    .some(
      (line, index, lines) =>
        /^[ \t]*[|:-][|: \t-]*$/.test(line) && /-/.test(line) && line.includes("|") && lines[index - 1]?.includes("|"),
    );

/** Whether a text clearly is Markdown: a fence, a table, a link, text below a heading, or two other kinds of marks. */
export function looksMarkdown(text: string): boolean {
  const head = text.slice(0, LOOKED_AT).replaceAll("\r\n", "\n");
  if (FENCE.test(head) || hasTable(head) || LINK.test(head)) return true;
  if (CONFIGURATION.test(head)) return false;
  const headings = head.match(HEADING) ?? [];
  if (headings.length > 1 || /^\s*#{1,6} [^\n]*\n[ \t]*\n[^\n#]/.test(head)) return true;
  return [headings.length > 0, LIST.test(head), BOLD.test(head), QUOTE.test(head)].filter(Boolean).length > 1;
}

export type TextLook = "rendered" | "source";

/** One setting for all texts of this window. */
const chosen = new KeyedStore<TextLook>();
const ALL = "all";

/** How Markdown is shown, and a function to change it while the window runs. */
export function useTextLook(): readonly [TextLook, (next: TextLook) => void] {
  return [useKeyed(chosen, ALL) ?? "rendered", (next) => chosen.set(ALL, next)];
}
