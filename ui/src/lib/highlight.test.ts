import { describe, expect, it } from "vitest";
import { type Language, languageOf, tokensOf } from "./highlight";

const shown = (text: string, language: Language) =>
  tokensOf(text, language)
    .filter((token) => token.kind !== "plain")
    .map((token) => `${token.kind}:${token.text}`);

describe("the language of a text", () => {
  it.each([
    ["application/json", null, "json"],
    ["application/vnd.api+json; charset=utf-8", null, "json"],
    ["text/html", null, "markup"],
    ["image/svg+xml", null, "markup"],
    ["text/markdown", null, "markdown"],
    ["text/x-python", null, "hash"],
    ["application/typescript", null, "code"],
    ["text/csv", "x://a.json", null],
    ["text/plain", "file:///src/main.rs", "code"],
    [null, "repo://x/README.md?ref=main", "markdown"],
    [null, "file:///Dockerfile", "hash"],
    ["text/plain", "x://notes", null],
    [null, null, null],
  ] as const)("%s at %s is %s", (mime, uri, language) => expect(languageOf(mime, uri)).toBe(language));
});

describe("colours", () => {
  it("tell words, text, numbers and remarks apart", () => {
    expect(shown('const a = "x\\"y"; // why\nreturn 12;', "code")).toEqual([
      "keyword:const",
      'string:"x\\"y"',
      "comment:// why",
      "keyword:return",
      "number:12",
    ]);
    expect(shown("SELECT 1 from t -- all", "sql")).toEqual(["keyword:SELECT", "number:1", "keyword:from", "comment:-- all"]);
    expect(shown("def f():\n  return 'x' # y", "hash")).toEqual(["keyword:def", "keyword:return", "string:'x'", "comment:# y"]);
  });
  it("know tags and their attributes", () => {
    expect(shown('<a href="x" b>c</a><!-- d -->', "markup")).toEqual([
      "keyword:<a",
      "name:href",
      'string:"x"',
      "name:b",
      "keyword:>",
      "keyword:</a",
      "keyword:>",
      "comment:<!-- d -->",
    ]);
  });
  it("know headings, lists, code and links", () => {
    expect(shown("# One\n- two `three`\n[a](b)\n```\n# no\n```", "markdown")).toEqual([
      "keyword:# One",
      "number:-",
      "string:`three`",
      "name:[a](b)",
      "string:```\n# no\n```",
    ]);
  });
  it("know keys and sections", () => {
    expect(shown("[a]\nkey = 'v' # c\nother: true", "config")).toEqual([
      "keyword:[a]",
      "name:key ",
      "string:'v'",
      "comment:# c",
      "name:other",
      "keyword:true",
    ]);
  });
  it("know the properties of a style", () => {
    expect(shown("a-b { margin-top: 1px; --own-x: red }", "css")).toEqual(["name:margin-top", "number:1px", "name:--own-x"]);
  });
  it.each(["json", "markup", "markdown", "config", "diff", "code", "hash", "sql", "css"] as const)(
    "lose nothing in %s, whatever the text, and do not take long",
    (language) => {
      // Long enough that quadratic code would not finish.
      const evil = [
        "[",
        "<",
        '"',
        "`",
        "/*",
        "a",
        " ",
        "-",
        "<a ",
        "**",
        "a.",
        "\\",
        "#",
        "<!--",
        "&#x",
        "[a",
        "![](",
        "'''",
        "- ",
        "\n```\n",
        "a-",
        "a-a:",
        "x&a;",
      ].map((bit) => bit.repeat(60_001));
      for (const text of evil)
        expect(
          tokensOf(text, language)
            .map((token) => token.text)
            .join("") === text,
        ).toBe(true);
    },
  );
});
