import { describe, expect, it } from "vitest";
import { namespaces as chinese, sentences } from "@/locales/chinese";
import { english, systemLanguage } from "./i18n";

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
    for (const other of ["请求头", "重新启动", "输入结构。", "输出结构。", " Schema", " schema", "模式嵌套", "待确认"])
      expect(texts.filter((text) => text.includes(other))).toEqual([]);
  });
});

/** Words that must not be used, and their replacements. */
type Words = readonly (readonly [not: RegExp, use: string])[];

const notEnglish: Words = [
  [/\bseal(?:s|ed|ing)?\b/i, "encrypt, secrets"],
  [/\bkept\b/i, "saved"],
  [/\bhand(?:s|ed|ing)?\b/i, "send, share, receive"],
  [/\b(?:tell|tells|told|telling)\b/i, "send, share, say"],
  [/\b(?:take|takes|taken|took|give|gives|given|gave)\b[^.]*\bback\b/i, "remove, revoke, undo, withdrawn"],
  [/\blook(?:s|ed|ing)? (?:at|over)\b|\btwo looks\b/i, "review"],
  [/\bfit(?:s|ted)?\b/i, "match"],
  [/\b(?:nobody|somebody|whoever)\b/i, "no one, anyone"],
  [/\ball the same\b/i, "anyway"],
  [/\banew\b/i, "again"],
  [/\bunseen\b|\bof (?:its|their) own accord\b/i, "automatically"],
  [/\bput aside\b/i, "ignored"],
  [/\bevidence\b/i, "details"],
  [/(?<!--)\beras?\b|\brevisions?\b/i, "protocol version"],
  [/\b(?:record|journal)\b|\b(?:from|in|to) (?:the )?log\b/i, "Activity, events"],
  [/(?<!IP |email )\baddress(?:es)?\b/i, "URL"],
  [/\broots\b/i, "folders"],
  [/\brights\b/i, "permissions"],
  [/\brefus(?:e|es|ed|al)\b/i, "decline, deny"],
  [/\bvouch|\bmend(?:s|ed)?\b|\bunder way\b|\bbeforehand\b/i, "what everybody says"],
  [/\b(?:is|are|was|were|do|does|did|has|have|had|could|would|will) not\b|\bcannot\b/i, "a contraction"],
  [/['"]/, "typographic quotes and apostrophes"],
];

const notChinese: Words = [
  [/自称/, "服务器声明"],
  [/协议时代/, "协议版本"],
  [/封存/, "加密"],
  [/口令/, "主密码"],
  [/围栏/, "不限制访问范围"],
  [/告知|想知道|获知/, "共享，请求"],
  [/收回|交还/, "停止共享，撤回，吊销"],
  [/交付|交给/, "发送"],
  [/两次审阅/, "第 1 步，共 2 步"],
  [/许可(?!证)/, "权限"],
  [/缘由/, "原因"],
  [/提出者/, "请求方"],
  [/搁置/, "已忽略"],
  [/原来的样子/, "发生了变化"],
  [/依据/, "详情"],
  [/练习模型/, "模拟模型"],
  [/添加一行|第 n 行/, "规则"],
  [/在各处退出/, "退出所有登录"],
  [/无需本人/, "应用凭据"],
  [/可以做什么/, "管理"],
  [/你如此回答/, "由你决定"],
  [/反问/, "服务器会请你填写"],
  [/(?<!Mooring )我们(?!。)/, "Mooring"],
  [/审批/, "决定"],
  [/无响应超时/, "空闲超时"],
  [/运行文件夹/, "工作文件夹"],
  [/仅限本次会话/, "仅本次运行"],
];

/** Texts where one of those words is right, and why. */
const meant: ReadonlyMap<string, string> = new Map([
  ["servers:skills.dynamicText", "can't tell: does not know"],
  ["sign-in:other.text.browser", "a client ID tells a service who calls"],
  ["trust:abridged.why", "there is room for it"],
  ["inbox:sampling.stop.refusal", "a model's refusal is a stop reason"],
  ["common:status.quiet", "what desktops call it"],
  ["settings:notifications.doNotDisturb.label", "what desktops call it"],
  ["sentences:the connection was refused", "the system's word for it (ECONNREFUSED)"],
  ["settings:folders.also", "words that are searched, and shown nowhere"],
]);

/** Every text with a wrong word. */
const misworded = (name: string, texts: ReadonlyMap<string, string>, words: Words): string[] =>
  [...texts].flatMap(([key, text]) =>
    meant.has(`${name}:${key}`)
      ? []
      : words.filter(([not]) => not.test(text.replaceAll(/\{+.*?\}+/g, "…"))).map(([, use]) => `${name}:${key}: ${text} (use: ${use})`),
  );

/** The keys of labels, which are nouns or verbs of a few words. */
const labels = /(?:^|\.)(?:label|button|submit\w*|menu|table|tabs?|place|copyOf|do|answer|scope|kind|group)(?:[._]|$)/;
const LABEL_WORDS = 6;
const labelled: ReadonlyMap<string, string> = new Map([
  ["inbox:answer.arming", "a tooltip"],
  ["activity:verdict.why.answer", "the reason of a verdict"],
  ["activity:menu.notCopied", "an error"],
]);

/** Labels that are sentences, and single-sentence hints with a full stop. */
const wordy = (name: string, texts: ReadonlyMap<string, string>): string[] =>
  [...texts].flatMap(([key, text]) => {
    if (labelled.has(`${name}:${key}`)) return [];
    const label = labels.test(key) && (/[.!。！]/.test(text.replace(/…$/, "")) || text.split(" ").length > LABEL_WORDS);
    const hint = /hint(?:[._]|$)/i.test(key) && /^[^.。]*[.。]$/.test(text);
    return label || hint ? [`${name}:${key}: ${text}`] : [];
  });

/** The engine's sentences. The English pattern is the key. */
const engine = new Map(Object.entries(sentences));
/** Names from others, which may look like our words. */
const NAMED = /(?<!“|: |：)\{\{(?:name|names|server|tool|provider|model|first|who)\}\}/;
const AS_LABEL = "the label of a field, said again for what belongs to it";
const IN_CODE = "set apart where the names are";
const apart: ReadonlyMap<string, string> = new Map([
  ["common:json.fold", IN_CODE],
  ["common:json.unfold", IN_CODE],
  ...["fold", "unfold", "more", "addNamed", "memberName", "removeNamed"].map((key) => [`form:field.${key}`, AS_LABEL] as const),
  ["workbench:form.jsonOf", AS_LABEL],
  ["models:routes.goneModel", "a choice, with our words in brackets"],
  ["models:standing.forget", "after a colon, with what is asked"],
  ["policies:edit", IN_CODE],
  ["policies:remove", IN_CODE],
  ["servers:secret.missing_one", IN_CODE],
  ["servers:secret.isMissing_one", IN_CODE],
  ["servers:secret.isMissing_other", IN_CODE],
  ["servers:secret.missingNow_one", IN_CODE],
  ["servers:secret.missingNow_other", IN_CODE],
  ["servers:secret.missing_other", IN_CODE],
  ["servers:import.open_one", IN_CODE],
  ["servers:import.open_other", IN_CODE],
  ["vault:startsThen_one", IN_CODE],
  ["vault:startsThen_other", IN_CODE],
  ["trust:banner.text_one", IN_CODE],
  ["trust:banner.text_other", IN_CODE],
  ["workbench:result.for", "the role of a reader"],
  ["workbench:run.announce", "before a colon"],
  ["workbench:result.broken.image", "a format such as PNG"],
  ["workbench:result.broken.audio", "a format such as MP3"],
  ["workbench:template.without", IN_CODE],
  ["bundles:title.update", IN_CODE],
  ["bundles:as.update", IN_CODE],
  ["bundles:as.same", IN_CODE],
  ["bundles:removed_one", IN_CODE],
  ["bundles:removed_other", IN_CODE],
  ["bundles:consent.give_one", IN_CODE],
  ["bundles:consent.give_other", IN_CODE],
  ["bundles:done.added", IN_CODE],
  ["bundles:done.updated", IN_CODE],
  ["bundles:done.already_installed", IN_CODE],
  ["bundles:back.missing_one", IN_CODE],
  ["bundles:back.missing_other", IN_CODE],
  ["bundles:back.done", IN_CODE],
  ["profiles:form.missing", "a choice, with our words in brackets"],
]);

/** Sentences that run into a name. A text that is just a name isn't a sentence. */
const bare = (name: string, texts: ReadonlyMap<string, string>): string[] =>
  [...texts].flatMap(([key, text]) =>
    NAMED.test(text) && !/^\{\{\w+\}\}$/.test(text) && !apart.has(`${name}:${key}`) ? [`${name}:${key}: ${text}`] : [],
  );

describe("plain words", () => {
  const all = (languages: typeof english | typeof chinese) => [
    ...Object.entries(languages).map(([name, texts]) => [name, flat(texts)] as const),
    ["sentences", languages === english ? new Map([...engine.keys()].map((key) => [key, key])) : engine] as const,
  ];
  const inEach = (languages: typeof english | typeof chinese, find: (name: string, texts: ReadonlyMap<string, string>) => string[]) =>
    all(languages).flatMap(([name, texts]) => find(name, texts));

  it("have one English word for one thing", () => {
    expect(inEach(english, (name, texts) => misworded(name, texts, notEnglish))).toEqual([]);
  });
  it.each([
    "Seal the value",
    "The draft is kept",
    "Hand it over",
    "The server is told of them",
    "You can take it back",
    "Look at it once more",
    "One argument does not fit",
    "Nobody who asks",
    "Share it all the same",
    "Start it anew",
    "put aside unseen",
    "It asks of its own accord",
    "Show the evidence",
    "Protocol era",
    "an exact record",
    "No answer in the log",
    "The whole address",
    "with your rights",
    "A rule refused this call",
    "It cannot be read",
    "the server's words",
  ])("find in English: %s", (text) => {
    expect(misworded("inbox", new Map([["planted", text]]), notEnglish)).not.toEqual([]);
  });

  it("have labels that are no sentences", () => {
    expect([...inEach(english, wordy), ...inEach(chinese, wordy)]).toEqual([]);
  });
  it.each([
    ["answer.planted", "Hand it to the server."],
    ["form.planted.label", "The time for which a request may be silent"],
    ["form.planted.hint", "What it is called here."],
    ["menu.planted", "复制。"],
  ])("find a label or hint that is a sentence: %s", (key, text) => {
    expect(wordy("servers", new Map([[key, text]]))).not.toEqual([]);
  });

  it("have one Chinese word for one thing", () => {
    expect(inEach(chinese, (name, texts) => misworded(name, texts, notChinese))).toEqual([]);
  });
  it.each([
    "自称只读",
    "封存的值",
    "输入口令",
    "并不是围栏",
    "收回 docs",
    "获知文件夹的许可",
    "缘由",
    "未显示即搁置",
    "查看依据",
    "服务器会反问",
    "发给我们的消息",
    "审批",
  ])("find in Chinese: %s", (text) => {
    expect(misworded("inbox", new Map([["planted", text]]), notChinese)).not.toEqual([]);
  });

  it.each([
    ["English", english],
    ["Chinese", chinese],
  ])("set names apart in sentences: %s", (_, texts) => {
    expect(inEach(texts, bare)).toEqual([]);
  });
  it.each(["Restart {{name}}", "Tell {{server}} of it", "“{{name}}” runs {{tool}}"])(
    "find a name that runs into the sentence: %s",
    (text) => {
      expect(bare("inbox", new Map([["planted", text]]))).not.toEqual([]);
    },
  );

  it("name exceptions that are there", () => {
    const keys = new Set(all(english).flatMap(([name, texts]) => [...texts.keys()].map((key) => `${name}:${key}`)));
    expect([...meant.keys(), ...labelled.keys(), ...apart.keys()].filter((key) => !keys.has(key))).toEqual([]);
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
