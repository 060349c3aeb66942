// Resolves Markdown links that don't lead to the web, which only the component that shows the text can do.
import { createContext } from "react";

export type LinkTarget =
  /** It opens in this window. */
  | { readonly kind: "here"; readonly target: string; readonly open: () => void }
  /** It can't be opened, so its target is shown. */
  | { readonly kind: "nowhere"; readonly target: string };

/** Null for a link that stays unchanged. */
export type LinkReader = (href: string) => LinkTarget | null;

export const MarkdownLinks = createContext<LinkReader | null>(null);
