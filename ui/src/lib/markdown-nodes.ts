// Markdown as a tree of the few things that may be shown. Raw HTML and references stay text: nothing of what the
// server wrote gets out of sight.
import MarkdownIt, { type Token } from "markdown-it";

export interface MarkdownNode {
  readonly token: Token;
  readonly children: readonly MarkdownNode[];
}

/** Lists, quotes and what stands in them, one inside another. Below that the parser would leave text out. */
const MAX_NESTING = 40;
/** Emphasis and links inside one another; deeper ones are text without it. */
const MAX_DEPTH = 60;
/** More than a page can lay out at once. */
const MAX_TOKENS = 20_000;

const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_NESTING });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** Whether a link leads to the web or to somebody's mail. */
export const isWebLink = (url: string): boolean => /^(?:https?:\/\/|mailto:)/i.test(url);
// `[//]: # (unseen)` would be out of sight.
parser.disable("reference");

/**
 * The tree of a text; null: it is nested too deeply, or too much, to be rendered without loss. What leads elsewhere, such
 * as `javascript:` or a file, stays as it was written, unless it is one of `others`.
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
  /** Open ones that are too deep to be more than their text. */
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
