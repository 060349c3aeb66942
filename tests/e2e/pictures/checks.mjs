// Problems that no picture may have: names without room, clipped texts, overflowing pages, errors, English in Chinese.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { english } from "../english.mjs";
import { narrowNames, shownLists } from "../lists.mjs";

/** Names in the mock backend that are also texts of the screens. */
const NAMES = ["seconds"];
/** A provider and its model, named together. */
const MODELS = /\b(?:Anthropic|Ollama|OpenAI|Azure OpenAI|OpenRouter|Gemini|This computer): [\w./:-]+/g;
const SCRIPTED = fileURLToPath(new URL("../../../ui/dev", import.meta.url));

/**
 * Runs first in every page: records its errors, and clears data from other pages, on a system with the page's language.
 */
export const LISTENER = `
localStorage.clear();
{
  const language = new URLSearchParams(location.search).get('lang') ?? 'en';
  Object.defineProperties(navigator, { language: { get: () => language }, languages: { get: () => [language] } });
}
globalThis.raised = [];
{
  const keep = (what, words) => { if (globalThis.raised.length < 20) globalThis.raised.push(what + ': ' + words.map((word) => word?.stack ? word.message ?? String(word) : String(word)).join(' ').slice(0, 400)); };
  for (const level of ['error', 'warn']) {
    const usual = console[level].bind(console);
    console[level] = (...words) => { keep('console.' + level, words); usual(...words); };
  }
  addEventListener('error', (event) => keep('error', [event.message || event.target?.src || event.target?.href || 'of a file']), true);
  addEventListener('unhandledrejection', (event) => keep('unhandled rejection', [event.reason?.message?.text ?? event.reason?.message ?? event.reason]));
  addEventListener('securitypolicyviolation', (event) => keep('content security policy', [event.violatedDirective]));
}
`;

// Runs in the page. Returns how far it overflows the window, texts that are clipped in a box that neither scrolls nor
// shows an ellipsis, and the errors.
const LOOK = `
const styles = new Map();
const styleOf = (element) => {
  if (!styles.has(element)) styles.set(element, getComputedStyle(element));
  return styles.get(element);
};
const cut = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const range = document.createRange();
for (let node = walker.nextNode(); node && cut.size < 8; node = walker.nextNode()) {
  // A dot between two parts hides where a line ends.
  if (['', '·'].includes(node.textContent.trim())) continue;
  const parent = node.parentElement;
  // An editor draws its own lines, and hides those it does not need.
  if (styleOf(parent).visibility !== 'visible' || parent.closest('svg, script, style, option, .cm-editor')) continue;
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0.5 && height > 0.5);
  if (boxes.length === 0) continue;
  const text = { left: Math.min(...boxes.map(({ left }) => left)), right: Math.max(...boxes.map(({ right }) => right)), top: Math.min(...boxes.map(({ top }) => top)), bottom: Math.max(...boxes.map(({ bottom }) => bottom)) };
  const line = boxes[0].height;
  let wide = true;
  let high = true;
  let how = '';
  for (let box = parent; box && box !== document.documentElement && (wide || high); box = box.parentElement) {
    const style = styleOf(box);
    if (style.opacity === '0') { how = ''; break; }
    if (style.display === 'inline' || style.display === 'contents') continue;
    const area = box.getBoundingClientRect();
    // Only read aloud, or drawn by a mask of its own.
    if (style.overflowX !== 'visible' && (area.width <= 1.5 || area.height <= 1.5)) { how = ''; break; }
    if (style.overflowX === 'auto' || style.overflowX === 'scroll') wide = false;
    if (style.overflowY === 'auto' || style.overflowY === 'scroll') high = false;
    if (wide && (style.overflowX === 'hidden' || style.overflowX === 'clip') && (text.right > area.right + 1 || text.left < area.left - 1)) {
      if (style.textOverflow === 'ellipsis' && !/flex|grid/.test(style.display)) wide = false;
      else how = 'sideways';
    }
    if (high && (style.overflowY === 'hidden' || style.overflowY === 'clip') && text.bottom > area.bottom + line / 3) {
      // Three dots, or a text that fades away.
      if ((style.webkitLineClamp !== 'none' && style.webkitLineClamp !== '') || style.maskImage !== 'none') high = false;
      else how ||= 'below';
    }
    if (how !== '') break;
    if (style.position === 'fixed') break;
  }
  if (how !== '') cut.set(node.textContent.trim().slice(0, 60), how);
}
const { documentElement: page } = document;
return { spill: [page.scrollWidth - innerWidth, page.scrollHeight - innerHeight], cut: [...cut], raised: globalThis.raised ?? ['the listener is not in the page'] };
`;

/** The value of a source literal. Numeric character escapes are named on the screens, so they split a text here. */
function unescaped(text) {
  try {
    return JSON.parse(`"${text.replaceAll(/\\u(?:\{\w+\}|\w{4})/g, "\\n")}"`);
  } catch {
    return text;
  }
}

/** The texts of a recording. Results are JSON text inside it. Our sentences exist in every language. */
function recorded(value) {
  if (typeof value === "string") {
    try {
      const inner = JSON.parse(value);
      if (inner !== null && typeof inner === "object") return recorded(inner);
    } catch {
      // It is a text.
    }
    return [value];
  }
  if (value === null || typeof value !== "object" || ("code" in value && "params" in value)) return [];
  return Object.values(value).flatMap(recorded);
}

/**
 * All texts of the mock backend and its servers, which are English only. Texts from real patterns, with said("…"),
 * exist in every language and are left out.
 */
function scripted() {
  const found = new Set();
  const files = readdirSync(SCRIPTED, { recursive: true }).filter((file) => file.endsWith(".ts"));
  for (const file of files) {
    const source = readFileSync(join(SCRIPTED, file), "utf8");
    for (const [, before, text] of source.matchAll(/(said\()?"((?:[^"\\\n]|\\.)*)"/g)) {
      if (before === undefined) for (const line of unescaped(text).split("\n")) found.add(line.trim());
    }
    for (const [, text] of source.matchAll(/`((?:[^`\\]|\\.)*)`/g)) for (const part of text.split(/\$\{[^}]*\}|\n/)) found.add(part.trim());
  }
  for (const file of readdirSync(SCRIPTED, { recursive: true }).filter((file) => file.endsWith(".json")))
    for (const text of recorded(JSON.parse(readFileSync(join(SCRIPTED, file), "utf8"))))
      for (const line of text.split("\n")) found.add(line.trim());
  // A protocol version in a sentence has its own element.
  for (const text of [...found]) for (const part of text.split(/\d{4}-\d{2}-\d{2}/)) found.add(part.trim());
  return [...found]
    .filter((text) => /\w[ ,;:]+\w/.test(text))
    .toSorted((a, b) => b.length - a.length)
    .concat(NAMES, MODELS);
}

/** How many problems of a kind to name per picture. */
const MOST = 8;

let known;

/** The problems with the current page, as text. */
export async function faults(session, { language, complaints = [] }) {
  const { spill, cut, raised } = await session.execute(LOOK);
  const wrong = narrowNames(await shownLists(session));
  if (spill[0] > 0) wrong.push(`${spill[0]} px wider than the window`);
  if (spill[1] > 0) wrong.push(`${spill[1]} px higher than the window`);
  for (const [text, how] of cut) wrong.push(`cut off (${how}) without three dots: ${text}`);
  for (const complaint of raised) if (!complaints.some((pattern) => pattern.test(complaint))) wrong.push(complaint);
  if (language !== "en") {
    known ??= scripted();
    const texts = await english(session, known);
    for (const text of texts.slice(0, MOST)) wrong.push(`in English: ${text}`);
    if (texts.length > MOST) wrong.push(`in English: ${texts.length - MOST} more texts`);
  }
  return wrong;
}
