// Finds English text of the window while it is set to Chinese. Servers' texts, names and protocol terms are not
// translated.

import { englishOnly } from "./person.mjs";

/** Texts of several words that are the same in every language. */
const TERMS = [
  "MIT OR Apache-2.0",
  "Model Context Protocol",
  "Streamable HTTP",
  "standard error",
  "server/discover",
  "chmod +x",
  "mcp add",
];

// Runs in the page: every text of Mooring's own that is visible or read aloud, with its place. Leaves out machine text
// (code, URLs, names) and text in a server's frame.
const OWN_TEXTS = `
const theirs = 'figure, [role=treeitem], blockquote, pre, code, kbd, bdi, textarea, .mono, .font-mono, .cm-editor, [lang]:not(html), svg, style, script';
const found = [];
const keep = (text, where) => { if (text && text.trim() !== '') found.push([text.trim().replace(/\\s+/g, ' '), where]); };
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (element.closest(theirs) || element.closest('[data-theirs]')) continue;
  const style = getComputedStyle(element);
  if (style.display === 'none' || /mono/i.test(style.fontFamily.split(',')[0])) continue;
  keep(node.textContent, element.tagName.toLowerCase() + '.' + (element.closest('[aria-label]')?.getAttribute('aria-label') ?? ''));
}
for (const name of ['aria-label', 'title', 'placeholder', 'aria-description', 'aria-roledescription', 'alt']) {
  for (const element of document.querySelectorAll('[' + name + ']')) {
    if (!element.closest(theirs) && !element.closest('[data-theirs]') && !element.matches('.mono')) keep(element.getAttribute(name), '@' + name);
  }
}
return found;
`;

/** Two English words in a row. */
const ENGLISH = /\b[A-Za-z][a-z]+(?:['’][a-z]+)?[ ,;:]+(?:[a-z]+\b)/;

const single = englishOnly();

/** The window's English texts, except those in `known`, which come from others. */
export async function english(session, known) {
  const texts = await session.execute(OWN_TEXTS);
  const own = texts.map(([text, where]) => {
    const rest = [...TERMS, ...known].reduce((left, words) => left.replaceAll(words, "·"), text);
    return [rest, where];
  });
  return own.filter(([text]) => ENGLISH.test(text) || single.has(text)).map(([text, where]) => `${where}: ${text}`);
}
