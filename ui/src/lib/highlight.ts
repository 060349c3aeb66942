// Highlights programs, markup, documents and configurations. Roughly correct but always fast: one pass without
// backtracking over long stretches, because servers provide the text. Unrecognised text is plain.
import { jsonTokens } from "./json-tokens";

export type Language = "json" | "markup" | "markdown" | "config" | "diff" | "code" | "hash" | "sql" | "css";

export interface Token {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword" | "name";
  readonly text: string;
}

const BY_TYPE: readonly (readonly [RegExp, Language])[] = [
  [/[/+]json$|json5$|jsonc$|^application\/x-ndjson$/, "json"],
  [/[/+](?:xml|html|xhtml)$|^image\/svg/, "markup"],
  [/markdown$/, "markdown"],
  [/[/+-](?:yaml|toml|ini|properties)$/, "config"],
  [/[/-](?:diff|patch)$/, "diff"],
  [/sql$/, "sql"],
  [/[/-](?:css|scss|less)$/, "css"],
  [/[/-](?:python|ruby|sh|shellscript|perl|dockerfile|r)$/, "hash"],
  [/[/-](?:javascript|typescript|ecmascript|java|c|c\+\+|c\+\+src|csrc|go|rust|swift|kotlin|php|csharp|scala|dart)$/, "code"],
];
const BY_END: readonly (readonly [RegExp, Language])[] = [
  [/\.(?:json5?|jsonc|ndjson|jsonl)$/, "json"],
  [/\.(?:xml|html?|svg|xhtml|vue)$/, "markup"],
  [/\.(?:md|markdown|mdx)$/, "markdown"],
  [/\.(?:ya?ml|toml|ini|cfg|conf|properties|env|lock)$/, "config"],
  [/\.(?:diff|patch)$/, "diff"],
  [/\.sql$/, "sql"],
  [/\.(?:css|scss|less)$/, "css"],
  [/\.(?:py|rb|sh|bash|zsh|fish|pl|r|nix)$|\/(?:dockerfile|makefile)$/, "hash"],
  [/\.(?:[cm]?[jt]sx?|java|c|h|cc|cpp|hpp|go|rs|swift|kts?|php|cs|scala|dart)$/, "code"],
];

/** The language of a text by its media type, or by the ending of its URI. */
export function languageOf(mime: string | null, uri: string | null): Language | null {
  const type = (mime ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const known = BY_TYPE.find(([pattern]) => pattern.test(type));
  if (known !== undefined) return known[1];
  if (type !== "" && type !== "text/plain" && type !== "application/octet-stream") return null;
  const path = (uri ?? "").split(/[?#]/, 1)[0]?.toLowerCase() ?? "";
  return BY_END.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}

const keywords = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const CODE = keywords(
  "abstract as async await break case catch class const continue crate default defer delete do else enum export extends extern false final finally fn for foreach from func function go if impl implements import in instanceof interface internal let loop match mod move mut namespace new nil null of override package private protected pub public readonly ref return self static struct super switch this throw throws trait true try type typeof undefined union unsafe use using var void where while yield",
);
const HASH = keywords(
  "and as assert async await begin break case class continue def del do done elif else elsif end esac except export False fi finally for from function global if import in is lambda local module next nil None nonlocal not or pass raise require rescue return self then True try unless until when while with yield",
);
const SQL = keywords(
  "add all alter and as asc begin between by case commit create default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then true union unique update using values view when where with",
);

const STRING = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const NUMBER = String.raw`\b\d[\w.]*`;
const WORD = String.raw`[A-Za-z_$@][\w$]*`;

/** A pattern for each language. The name of the matched group is the kind, and `word` is looked up. */
const PATTERNS: Record<
  Exclude<Language, "json">,
  { readonly pattern: RegExp; readonly words?: ReadonlySet<string>; readonly fold?: boolean }
> = {
  code: {
    pattern: new RegExp(
      `(?<comment>//.*|/\\*[^]*?(?:\\*/|$))|(?<string>${STRING}|\`(?:[^\`\\\\]|\\\\[^])*\`?)|(?<number>${NUMBER})|(?<word>${WORD})`,
      "g",
    ),
    words: CODE,
  },
  hash: {
    pattern: new RegExp(
      `(?<comment>(?<![\\w$&])#.*)|(?<string>"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${STRING})|(?<number>${NUMBER})|(?<word>${WORD})`,
      "g",
    ),
    words: HASH,
  },
  sql: {
    pattern: new RegExp(`(?<comment>--.*|/\\*[^]*?(?:\\*/|$))|(?<string>${STRING})|(?<number>${NUMBER})|(?<word>${WORD})`, "g"),
    words: SQL,
    fold: true,
  },
  css: {
    pattern: new RegExp(
      `(?<comment>/\\*[^]*?(?:\\*/|$))|(?<string>${STRING})|(?<keyword>@[\\w-]+|![a-z]+)|(?<name>--[\\w-]+|(?<![\\w-])[a-z-]+(?=:[ \\t]))|(?<number>#[0-9a-fA-F]{3,8}\\b|${NUMBER}%?)`,
      "g",
    ),
  },
  config: {
    pattern: new RegExp(
      `(?<comment>(?<![\\w"'])[#;].*)|(?<keyword>^[ \\t]*\\[[^\\]\\n]*\\]|\\b(?:true|false|null|yes|no)\\b)|(?<name>^[ \\t]{0,80}(?:- )?[\\w."'/$][\\w."'/$-]{0,199}[ \\t]{0,80}(?=[:=]))|(?<string>${STRING})|(?<number>${NUMBER})`,
      "gm",
    ),
  },
  markdown: {
    pattern:
      /(?<string>^(?:```|~~~)[^]*?(?:^(?:```|~~~)|$(?![^]))|`[^`\n]+`)|(?<keyword>^#{1,6}[ \t].*)|(?<comment>^[ \t]*>.*|<!--[^]*?(?:-->|$(?![^])))|(?<number>^[ \t]*(?:[-*+]|\d{1,9}[.)])(?=[ \t]))|(?<name>!?\[[^[\]\n]*\]\([^()\n]*\)|\*\*[^*\n]+\*\*|\bhttps?:\/\/[^\s<>()]+)/gm,
  },
  diff: { pattern: /(?<keyword>^@@.*)|(?<comment>^(?:diff|index|---|\+\+\+).*)|(?<string>^\+.*)|(?<number>^-.*)/gm },
  markup: {
    pattern:
      /(?<comment><!--[^]*?(?:-->|$))|(?<string><!\[CDATA\[[^]*?(?:\]\]>|$))|(?<keyword><[/!?]?[A-Za-z][\w:.-]*|[/?]?>)|(?<number>&[\w#]{1,32};)/g,
  },
};

/** The runs of a text in order, without gaps. */
export function tokensOf(text: string, language: Language): Token[] {
  if (language === "json")
    return jsonTokens(text).map(({ kind, text: run }) => ({
      kind: kind === "key" ? "name" : kind === "value" ? "number" : kind,
      text: run,
    }));
  const { pattern, words, fold = false } = PATTERNS[language];
  const out: Token[] = [];
  let from = 0;
  // For markup: whether the last `<name` or `>` opened a tag.
  let inTag = false;
  const plain = (to: number) => {
    if (to > from)
      out.push(
        ...(language === "markup" && inTag ? attributes(text.slice(from, to)) : [{ kind: "plain" as const, text: text.slice(from, to) }]),
      );
  };
  for (const match of text.matchAll(pattern)) {
    const run = match[0];
    if (run === "") continue;
    plain(match.index);
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0] ?? "plain";
    out.push({
      kind: kind === "word" ? (words?.has(fold ? run.toLowerCase() : run) ? "keyword" : "plain") : (kind as Token["kind"]),
      text: run,
    });
    if (kind === "keyword") inTag = run.startsWith("<");
    from = match.index + run.length;
  }
  plain(text.length);
  return joined(out);
}

function attributes(text: string): Token[] {
  const out: Token[] = [];
  let from = 0;
  for (const match of text.matchAll(/(?<string>"[^"]*"?|'[^']*'?)|(?<name>[A-Za-z_:@][\w:.-]*)/g)) {
    if (match.index > from) out.push({ kind: "plain", text: text.slice(from, match.index) });
    out.push({ kind: match.groups?.["string"] === undefined ? "name" : "string", text: match[0] });
    from = match.index + match[0].length;
  }
  if (from < text.length) out.push({ kind: "plain", text: text.slice(from) });
  return out;
}

/** Merges neighbours of one kind, so that fewer elements are drawn. */
function joined(tokens: readonly Token[]): Token[] {
  const out: { kind: Token["kind"]; text: string }[] = [];
  for (const token of tokens) {
    const last = out.at(-1);
    if (last?.kind === token.kind && token.kind === "plain") last.text += token.text;
    else out.push({ ...token });
  }
  return out;
}
