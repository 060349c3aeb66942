import { describe, expect, it } from "vitest";
import chinese from "@/locales/zh-CN/sentences.json";
import { sentence, sentenceFrom, wholeSentence } from "./sentence";

const said = (code: string, params: Record<string, string> = {}) => ({ code, params, text: "english" });

describe("a sentence of the backend", () => {
  it("is worded in the language of the window", () => {
    expect(sentence(said("exit code {code}", { code: "7" }), "en")).toBe("english");
    expect(sentence(said("exit code {code}", { code: "7" }), "zh-CN")).toBe("退出码 7");
  });

  it("stays as it came where this page has no words for it", () => {
    expect(sentence(said("a sentence of tomorrow"), "zh-CN")).toBe("english");
    expect(sentence(said("toString"), "zh-CN")).toBe("english");
  });

  it("never takes a value for a place", () => {
    expect(sentence(said("{path}: {reason}", { path: "{reason}", reason: "x" }), "zh-CN")).toBe("{reason}：x");
  });

  it("begins with a capital and ends with a stop where it stands by itself", () => {
    const own = (code: string, text = code) => ({ code, params: {}, text });
    expect(wholeSentence(own("no rule allows it"), "en")).toBe("No rule allows it.");
    expect(wholeSentence(own("The server asks of its own accord."), "en")).toBe("The server asks of its own accord.");
    expect(wholeSentence(own("{host} is not asked", "example.org is not asked"), "en")).toBe("example.org is not asked.");
    expect(wholeSentence(own("no rule allows it"), "zh-CN")).toMatch(/[^。]。$/);
    expect(wholeSentence(own("", ""), "en")).toBe("");
  });

  it("is read back from a record, sentences within sentences", () => {
    const kept = { code: "({exit})", params: { exit: { code: "exit code {code}", params: { code: "7" } }, odd: 1 } };
    expect(sentenceFrom(kept)?.text).toBe("(exit code 7)");
    for (const none of [null, "text", {}, { code: 1 }, []]) expect(sentenceFrom(none)).toBeNull();
  });

  it("carries its Chinese without stray spaces and with Chinese punctuation", () => {
    for (const [code, words] of Object.entries(chinese)) {
      expect([code, words]).toEqual([code, words.trim()]);
      expect([code, /[一-鿿][,;:?!](?:\s|$)/.test(words)]).toEqual([code, false]);
    }
  });
});
