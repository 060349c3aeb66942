// Whether a text is Markdown by how it looks, and how the person wants to see such texts. What renders it is loaded
// only where it is needed.
import { KeyedStore, useKeyed } from "./keyed-store";

/** Characters of a text that is rendered: a longer one is shown as source. */
export const MAX_RENDERED = 256 << 10;
/** Characters that are looked at to find out. */
const LOOKED_AT = 32 << 10;

const FENCE = /^ {0,3}(```|~~~)[^`\n]*\n[^]*?^ {0,3}\1/m;
const LINK = /\[[^\]\n]{1,200}\]\((?:https?:|mailto:)[^)\s]{1,2000}\)/i;
/** With nothing right above or below: many lines after a `#` are comments of a program. */
const HEADING = /(?:^|\n[ \t]*\n) {0,3}#{1,6} [^\n]*(?=\n[ \t]*\n|\n?$)/g;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) \S[^\n]*\n(?:[ \t]*\n)?(?: {2,}[^\n]*\n)* {0,3}(?:[-*+]|\d{1,9}[.)]) \S/m;
const BOLD = /(?:^|[\s(])(\*\*|__)[^\s*_][^*_\n]{0,200}\1(?![*_\w])/m;
const QUOTE = /^ {0,3}> \S/m;
/** A key that opens a block: the text is a configuration. */
const CONFIGURATION = /^[\w.-]+:[ \t]*$/m;

/** A row of dashes below one that has cells, too. */
const hasTable = (text: string) =>
  text
    .split("\n")
    .some(
      (line, index, lines) =>
        /^[ \t]*[|:-][|: \t-]*$/.test(line) && /-/.test(line) && line.includes("|") && lines[index - 1]?.includes("|"),
    );

/** Whether a text clearly is Markdown: a fence, a table, a link, a text under a heading, or two marks of other kinds. */
export function looksMarkdown(text: string): boolean {
  const head = text.slice(0, LOOKED_AT).replaceAll("\r\n", "\n");
  if (FENCE.test(head) || hasTable(head) || LINK.test(head)) return true;
  if (CONFIGURATION.test(head)) return false;
  const headings = head.match(HEADING) ?? [];
  if (headings.length > 1 || /^\s*#{1,6} [^\n]*\n[ \t]*\n[^\n#]/.test(head)) return true;
  return [headings.length > 0, LIST.test(head), BOLD.test(head), QUOTE.test(head)].filter(Boolean).length > 1;
}

export type TextLook = "rendered" | "source";

/** One look for all texts of this window. */
const chosen = new KeyedStore<TextLook>();
const ALL = "all";

/** How Markdown is shown, and what changes it for as long as the window runs. */
export function useTextLook(): readonly [TextLook, (next: TextLook) => void] {
  return [useKeyed(chosen, ALL) ?? "rendered", (next) => chosen.set(ALL, next)];
}
