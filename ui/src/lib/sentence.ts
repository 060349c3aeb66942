// What the backend says, in the window's language. A sentence comes with its English pattern, which is its code, and
// with the values that fill it; English is the pattern itself, every other language words the code anew.
import i18next from "i18next";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { formatCount } from "./format";
import { visible } from "./untrusted";

type Patterns = Readonly<Record<string, string>>;
const languages: Record<string, Patterns> = {};

/** Adds the patterns of a language, by their English ones. */
export function addSentences(language: string, patterns: Patterns): void {
  languages[language] = patterns;
}

/** The pattern in this language; undefined where the page has none. */
function patternOf(said: Sentence, language: string | undefined): string | undefined {
  const words = languages[language ?? "en"];
  // A newer backend may say what this page has no words for.
  return words !== undefined && Object.hasOwn(words, said.code) ? words[said.code] : undefined;
}

/** The places that hold how much or how many, and never a name, a code or a port. */
const amounts = new Set(["limit", "bytes", "count", "least", "most", "written"]);

/** An amount that is long enough to be grouped. */
const isLong = (name: string, value: string) => amounts.has(name) && /^\d{4,15}$/.test(value);

/** A value as the language writes it. */
const valueOf = (name: string, value: string, language: string | undefined) =>
  isLong(name, value) ? formatCount(Number(value), language ?? "en") : value;

const hasLong = ({ params }: Sentence): boolean =>
  Object.entries(params).some(([name, value]) => value !== undefined && (typeof value === "string" ? isLong(name, value) : hasLong(value)));

function worded(said: Sentence, language: string | undefined): string {
  const pattern = patternOf(said, language) ?? (hasLong(said) ? said.code : undefined);
  if (pattern === undefined) return said.text;
  return pattern.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = Object.hasOwn(said.params, name) ? said.params[name] : undefined;
    if (value === undefined) return place;
    return typeof value === "string" ? valueOf(name, value, language) : worded(value, language);
  });
}

/** A sentence in the window's language; what it quotes is made visible. */
export function sentence(said: Sentence, language: string | undefined = i18next.language): string {
  return visible(worded(said, language));
}

export interface SentencePart {
  readonly text: string;
  /** It is somebody else's: a name, an address. */
  readonly quoted: boolean;
}

/** A sentence in the window's language, with what it quotes apart from our words. Figures are ours. */
export function sentenceParts(said: Sentence, language: string | undefined = i18next.language): readonly SentencePart[] {
  return (patternOf(said, language) ?? said.code).split(/(\{\w+\})/).flatMap((part): readonly SentencePart[] => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = name !== undefined && Object.hasOwn(said.params, name) ? said.params[name] : undefined;
    if (value === undefined) return part === "" ? [] : [{ text: part, quoted: false }];
    if (typeof value !== "string") return sentenceParts(value, language);
    return [{ text: visible(name === undefined ? value : valueOf(name, value, language)), quoted: !/^\d+$/.test(value) }];
  });
}

/** It begins with a word of ours: its own, or that of a sentence within it. A value that comes first is somebody's name or figure. */
function beginsOurs({ code, params }: Sentence): boolean {
  const name = /^\{(\w+)\}/.exec(code)?.[1];
  if (name === undefined) return /^[a-z]/.test(code);
  const first = Object.hasOwn(params, name) ? params[name] : undefined;
  return first !== undefined && typeof first !== "string" && beginsOurs(first);
}

/** A colon leads on to what comes behind it; behind a quotation a stop is still missing then. */
const stopped = /(?:[.!?…。！？][”’"»）)]?|[:：])$/;
const stopIn = (language: string) => (language.startsWith("zh") ? "。" : ".");
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** As `sentence`, where it stands by itself: it begins with a capital, unless words of ours come before it, and ends with a stop. */
export function wholeSentence(said: Sentence, language: string | undefined = i18next.language, begins = true): string {
  const text = sentence(said, language);
  if (text === "") return text;
  const begun = begins && beginsOurs(said) ? capital(text) : text;
  return stopped.test(begun) ? begun : `${begun}${stopIn(language)}`;
}

/** As `sentenceParts`, where it stands by itself: it begins with a capital and ends with a stop, which are ours. */
export function wholeParts(said: Sentence, language: string = i18next.language): readonly SentencePart[] {
  const parts = sentenceParts(said, language).map((part, index) =>
    index === 0 && !part.quoted && beginsOurs(said) ? { ...part, text: capital(part.text) } : part,
  );
  const last = parts.at(-1);
  // A stop is ours, or stands within marks of ours: where a name ends, no stop of its own ends the sentence.
  return last === undefined || (!last.quoted && stopped.test(parts.map((part) => part.text).join("")))
    ? parts
    : [...parts, { text: stopIn(language), quoted: false }];
}

/** What stands between one sentence and the next. */
export const betweenSentences = (language: string): string => (language.startsWith("zh") ? "" : " ");

/** A sentence out of something that was kept as JSON; null where it is none. */
export function sentenceFrom(value: unknown): Sentence | null {
  if (typeof value !== "object" || value === null || !("code" in value) || typeof value.code !== "string") return null;
  const params: Sentence["params"] = {};
  if ("params" in value && typeof value.params === "object" && value.params !== null) {
    for (const [name, param] of Object.entries(value.params)) {
      const inner = typeof param === "string" ? param : sentenceFrom(param);
      if (inner !== null) params[name] = inner;
    }
  }
  const text = value.code.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined;
    return param === undefined ? place : typeof param === "string" ? param : param.text;
  });
  return { code: value.code, params, text };
}
