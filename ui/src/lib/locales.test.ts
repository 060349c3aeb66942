import i18next from "i18next";
import { describe, expect, it } from "vitest";
import { namespaces as chinese, sentences } from "@/locales/chinese";
import { applyLanguage, english, systemLanguage } from "./i18n";

function flat(node: object, path = ""): Map<string, string> {
  const out = new Map<string, string>();
  for (const [key, value] of Object.entries(node)) {
    const here = path === "" ? key : `${path}.${key}`;
    if (typeof value === "string") out.set(here, value);
    else for (const [inner, text] of flat(value as object, here)) out.set(inner, text);
  }
  return out;
}
const plural = /_(?:zero|one|two|few|many|other)$/;
const holes = (text: string) =>
  [...text.matchAll(/\{\{\s*(\w+)/g)]
    .map((match) => match[1])
    .toSorted((a, b) => String(a).localeCompare(String(b)))
    .join();

describe.each(Object.keys(english) as (keyof typeof english)[])("the texts of %s", (name) => {
  const en = flat(english[name]);
  const zh = flat(chinese[name]);

  it("exist in both languages", () => {
    const keys = (texts: Map<string, string>) => [...new Set([...texts.keys()].map((key) => key.replace(plural, "")))].toSorted();
    expect(keys(zh)).toEqual(keys(en));
  });
  it("have the same holes", () => {
    for (const [key, text] of zh)
      expect([key, holes(text)]).toEqual([key, holes(en.get(key) ?? en.get(key.replace(plural, "")) ?? "missing {{text}}")]);
  });
  it("are not empty and carry no stray spaces", () => {
    for (const [key, text] of [...en, ...zh]) expect([key, text.trim() !== "", text]).toEqual([key, true, text.trim()]);
  });
  it("group the digits of what they count", () => {
    for (const [key, text] of [...en, ...zh]) if (plural.test(key)) expect([key, text.includes("{{count}}")]).toEqual([key, false]);
  });
  it("use Chinese punctuation in Chinese", () => {
    for (const [key, text] of zh) expect([key, /[一-鿿][,;:?!](?:\s|$)/.test(text)]).toEqual([key, false]);
  });
});

describe("Chinese", () => {
  it("has one name for one thing", () => {
    const texts = [...Object.values(chinese).flatMap((part) => [...flat(part).values()]), ...Object.values(sentences)];
    for (const other of ["请求头", "重新启动", "输入结构。", "输出结构。", " Schema", " schema", "模式嵌套"])
      expect(texts.filter((text) => text.includes(other))).toEqual([]);
  });
});

describe("the language", () => {
  it("follows the system where we speak it", () => {
    expect(systemLanguage(["zh-Hans-CN", "en"])).toBe("zh-CN");
    expect(systemLanguage(["de", "zh-TW"])).toBe("zh-CN");
    expect(systemLanguage(["en-GB"])).toBe("en");
    expect(systemLanguage(["de"])).toBe("en");
  });
});

describe("the language that was chosen last", () => {
  it("stays where another one takes longer to load", async () => {
    i18next.removeResourceBundle("zh-CN", "common");
    const slow = applyLanguage("zh-CN");
    const last = applyLanguage("en");
    await Promise.all([slow, last]);
    expect([i18next.language, document.documentElement.lang]).toEqual(["en", "en"]);
    await applyLanguage("zh-CN");
    expect([i18next.t("common:cancel"), document.documentElement.lang]).toEqual(["取消", "zh-CN"]);
  });
});
