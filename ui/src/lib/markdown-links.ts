// Where links in somebody's Markdown lead that aren't on the web: known only to what shows the text.
import { createContext } from "react";

export type LinkTarget =
  /** Something that opens in this window. */
  | { readonly kind: "here"; readonly target: string; readonly open: () => void }
  /** Nothing that can be opened: its target is shown. */
  | { readonly kind: "nowhere"; readonly target: string };

/** Null for what stays as it was written. */
export type LinkReader = (href: string) => LinkTarget | null;

export const MarkdownLinks = createContext<LinkReader | null>(null);
