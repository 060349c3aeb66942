// The backend's sentences in the window's language. A sentence has its English pattern, which is its code, and the
// values to fill in. Other languages translate the code.
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

/** The pattern in this language. Undefined if the page has none. */
function patternOf(said: Sentence, language: string | undefined): string | undefined {
  const words = languages[language ?? "en"];
  // A newer backend may use unknown sentences.
  return words !== undefined && Object.hasOwn(words, said.code) ? words[said.code] : undefined;
}

/** The placeholders with amounts, and never with a name, a code or a port. */
const amounts = new Set(["limit", "bytes", "count", "least", "most", "written"]);

/** Whether an amount is long enough for digit grouping. */
const isLong = (name: string, value: string) => amounts.has(name) && /^\d{4,15}$/.test(value);

/** A value in the language's notation. */
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

/** A sentence in the window's language, with hidden characters in quoted values spelled out. */
export function sentence(said: Sentence, language: string | undefined = i18next.language): string {
  return visible(worded(said, language));
}

export interface SentencePart {
  readonly text: string;
  /** Whether it is foreign text: a name, a URL. */
  readonly quoted: boolean;
}

/** A sentence in the window's language, with quoted values separate from our words. Figures are ours. */
export function sentenceParts(said: Sentence, language: string | undefined = i18next.language): readonly SentencePart[] {
  return (patternOf(said, language) ?? said.code).split(/(\{\w+\})/).flatMap((part): readonly SentencePart[] => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = name !== undefined && Object.hasOwn(said.params, name) ? said.params[name] : undefined;
    if (value === undefined) return part === "" ? [] : [{ text: part, quoted: false }];
    if (typeof value !== "string") return sentenceParts(value, language);
    return [{ text: visible(name === undefined ? value : valueOf(name, value, language)), quoted: !/^\d+$/.test(value) }];
  });
}

/** Whether it starts with our own word, also of a nested sentence. An initial value is a name or a figure. */
function beginsOurs({ code, params }: Sentence): boolean {
  const name = /^\{(\w+)\}/.exec(code)?.[1];
  if (name === undefined) return /^[a-z]/.test(code);
  const first = Object.hasOwn(params, name) ? params[name] : undefined;
  return first !== undefined && typeof first !== "string" && beginsOurs(first);
}

/** Text that needs no full stop. A colon leads on to the next text, but not after a quotation mark. */
const stopped = /(?:[.!?…。！？][”’"»）)]?|[:：])$/;
const stopIn = (language: string) => (language.startsWith("zh") ? "。" : ".");
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `sentence` as a complete sentence: capitalised, unless our words precede it, and with a full stop. */
export function wholeSentence(said: Sentence, language: string | undefined = i18next.language, begins = true): string {
  const text = sentence(said, language);
  if (text === "") return text;
  const begun = begins && beginsOurs(said) ? capital(text) : text;
  return stopped.test(begun) ? begun : `${begun}${stopIn(language)}`;
}

/** `sentenceParts` as a complete sentence: capitalised, and with a full stop, both ours. */
export function wholeParts(said: Sentence, language: string = i18next.language): readonly SentencePart[] {
  const parts = sentenceParts(said, language).map((part, index) =>
    index === 0 && !part.quoted && beginsOurs(said) ? { ...part, text: capital(part.text) } : part,
  );
  const last = parts.at(-1);
  // Only our own punctuation ends the sentence. A full stop at the end of a name doesn't.
  return last === undefined || (!last.quoted && stopped.test(parts.map((part) => part.text).join("")))
    ? parts
    : [...parts, { text: stopIn(language), quoted: false }];
}

/** The separator between sentences. */
export const betweenSentences = (language: string): string => (language.startsWith("zh") ? "" : " ");

/** Parses a sentence from stored JSON. Null if it isn't one. */
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
