// What the backend says, in the window's language. A sentence comes with its English pattern, which is its code, and
// with the values that fill it; English is the pattern itself, every other language words the code anew.
import i18next from "i18next";
import type { Sentence } from "@/ipc/bindings/Sentence";
import chinese from "@/locales/zh-CN/sentences.json";
import { visible } from "./untrusted";

const languages: Readonly<Record<string, Readonly<Record<string, string>>>> = { "zh-CN": chinese };

/** The pattern in this language; undefined where the page has none. */
function patternOf(said: Sentence, language: string | undefined): string | undefined {
  const words = languages[language ?? "en"];
  // A newer backend may say what this page has no words for.
  return words !== undefined && Object.hasOwn(words, said.code) ? words[said.code] : undefined;
}

function worded(said: Sentence, language: string | undefined): string {
  const pattern = patternOf(said, language);
  if (pattern === undefined) return said.text;
  return pattern.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = Object.hasOwn(said.params, name) ? said.params[name] : undefined;
    if (value === undefined) return place;
    return typeof value === "string" ? value : worded(value, language);
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
    return [{ text: visible(value), quoted: !/^\d+$/.test(value) }];
  });
}

/** As `sentence`, where it stands by itself: it begins with a capital, unless words of ours come before it, and ends with a stop. */
export function wholeSentence(said: Sentence, language: string | undefined = i18next.language, begins = true): string {
  const text = sentence(said, language);
  if (text === "") return text;
  // A value that comes first is somebody's name or figure and stays as it is.
  const begun = begins && /^[a-z]/.test(said.code) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  if (/[.!?…:。！？：]$/.test(begun)) return begun;
  return `${begun}${language.startsWith("zh") ? "。" : "."}`;
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
