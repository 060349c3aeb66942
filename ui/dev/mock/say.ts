// Sentences of the mock backend, which exist in English only.
import type { Sentence } from "@/ipc/bindings/Sentence";

const fill = (pattern: string, params: Sentence["params"]) =>
  pattern.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const param = params[name];
    return param === undefined ? place : typeof param === "string" ? param : param.text;
  });

/** A sentence with a real pattern, which exists in every language. */
export const said = (code: string, params: Sentence["params"] = {}): Sentence => ({ code, params, text: fill(code, params) });

export const say = (text: string): Sentence => ({ code: "{quoted}", params: { quoted: text }, text });
