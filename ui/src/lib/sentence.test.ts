import { describe, expect, it } from "vitest";
import chinese from "@/locales/zh-CN/sentences.json";
import { addSentences, sentence, sentenceFrom, sentenceParts, wholeParts, wholeSentence } from "./sentence";

addSentences("zh-CN", chinese);

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
    expect(wholeSentence(own("Sent without a call in progress."), "en")).toBe("Sent without a call in progress.");
    expect(wholeSentence(own("{host} is contacted", "example.org is contacted"), "en")).toBe("example.org is contacted.");
    expect(wholeSentence(own("no rule allows it"), "zh-CN")).toMatch(/[^。]。$/);
    expect(wholeSentence(own("", ""), "en")).toBe("");
  });

  it("begins with a capital where a sentence of ours comes first in it, and leaves a name that does", () => {
    const why = { code: "no member is there", params: {}, text: "no member is there" };
    const at = (message: typeof why | string) => ({
      code: "{message} at line {line}, column {column}",
      params: { message, line: "2", column: "4" },
      text: "no member is there at line 2, column 4",
    });
    expect(wholeSentence(at(why), "en")).toBe("No member is there at line 2, column 4.");
    expect(wholeSentence(at("npx"), "en")).toBe("no member is there at line 2, column 4.");
  });

  it("keeps what it quotes apart from our capital and our stop", () => {
    const parts = (code: string, params: Record<string, string> = {}) =>
      wholeParts(said(code, params), "en").map(({ text, quoted }) => (quoted ? `<${text}>` : text));
    expect(parts("only https:// is opened, never {scheme}", { scheme: "x." })).toEqual(["Only https:// is opened, never ", "<x.>", "."]);
    expect(parts("{host} is contacted", { host: "npx" })).toEqual(["<npx>", " is contacted", "."]);
    expect(parts("Its host name looks like {other}, but isn’t.", { other: "y" })).toEqual([
      "Its host name looks like ",
      "<y>",
      ", but isn’t.",
    ]);
    expect(parts("")).toEqual([]);
  });

  it("has one stop where what is quoted ends with one", () => {
    const answered = (description: string) => ({
      code: "the sign-in ended: “{description}”",
      params: { description },
      text: `the sign-in ended: “${description}”`,
    });
    expect(wholeSentence(answered("Not among the scopes."), "en")).toBe("The sign-in ended: “Not among the scopes.”");
    expect(wholeSentence(answered("not among the scopes"), "en")).toBe("The sign-in ended: “not among the scopes”.");
    expect(wholeSentence(answered("see:"), "en")).toBe("The sign-in ended: “see:”.");
    expect(
      wholeSentence(
        said("{host} answered with the error {code}: “{description}”", { host: "a.test", code: "x", description: "No." }),
        "zh-CN",
      ),
    ).toBe("a.test 以错误 x 回答：“No.”");
    expect(wholeParts(answered("Why?"), "en").map((part) => part.text)).toEqual(["The sign-in ended: “", "Why?", "”"]);
    expect(wholeParts(answered("why"), "en").at(-1)).toEqual({ text: ".", quoted: false });
  });

  it("groups amounts as the language writes them, and nothing that only looks like one", () => {
    const spent = {
      code: "the server’s budget of {limit} tokens a day is used up",
      params: { limit: "100000" },
      text: "the server’s budget of 100000 tokens a day is used up",
    };
    expect(wholeSentence(spent, "en")).toBe("The server’s budget of 100,000 tokens a day is used up.");
    expect(wholeSentence(spent, "zh-CN")).toBe("服务器每天 100,000 个 token 的预算已用完。");
    expect(sentence({ code: "({why})", params: { why: spent }, text: "?" }, "en")).toContain("100,000");
    expect(
      sentenceParts(spent, "en")
        .map((part) => part.text)
        .join(""),
    ).toContain("100,000");
    const port = {
      code: "the redirect port {port} isn’t available: {reason}",
      params: { port: "40321", reason: "taken" },
      text: "the redirect port 40321 isn’t available: taken",
    };
    expect(sentence(port, "en")).toContain("40321");
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
