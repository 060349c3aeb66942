// Parses Markdown into a tree of a few allowed elements. Raw HTML and references stay text, so that none of the
// server's text is hidden.
import MarkdownIt, { type Token } from "markdown-it";

export interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** The deepest nesting of lists and quotes. Below that the parser would drop text. */
const MAX_NESTING = 40;
/** The deepest nesting of emphasis and links. Deeper ones become plain text. */
const MAX_DEPTH = 60;
/** More than a page can draw at once. */
const MAX_TOKENS = 20_000;

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_NESTING });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** Whether a link leads to the web or to an email address. */
export const isWebLink = (url: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(url);
// `[//]: # (unseen)` would be hidden.
parser.disable("reference");

/**
 * The tree of a text. Null if it is nested too deeply or too large to be rendered without loss. Other links, such as
 * `javascript:` or files, stay text, unless they are among `others`.
 */
export function readMarkdown(text: string, others: (url: string) => boolean = () => false): readonly MarkdownNode[] | null {
  parser.validateLink = (url) => isWebLink(url) || others(url);
  const tokens = parser.parse(text, {});
  const count = tokens.reduce((sum, token) => sum + 1 + (token.children?.length ?? 0), 0);
  if (count > MAX_TOKENS || tokens.some((token) => token.level >= MAX_NESTING - 1)) return null;
  return treeOf(tokens, 0);
}

function treeOf(tokens: readonly Token[], depth: number): MarkdownNode[] {
  const top: MarkdownNode[] = [];
  const open: { token: Token; children: MarkdownNode[] }[] = [];
  /** The number of open elements that are too deep to be rendered. */
  let skipped = 0;
  for (const token of tokens) {
    const inner = open.at(-1)?.children ?? top;
    if (token.nesting > 0 && (skipped > 0 || depth + open.length >= MAX_DEPTH)) {
      skipped += 1;
    } else if (token.nesting > 0) {
      const entry = { token, children: [] };
      inner.push(entry);
      open.push(entry);
    } else if (token.nesting < 0) {
      if (skipped > 0) skipped -= 1;
      else open.pop();
    } else if (token.type === "inline") {
      for (const child of treeOf(token.children ?? [], depth + open.length)) inner.push(child);
    } else {
      // The children of an image are its description.
      inner.push({ token, children: token.type === "image" ? treeOf(token.children ?? [], depth + open.length) : [] });
    }
  }
  return top;
}
