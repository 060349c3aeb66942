// Foreign text. Characters that are invisible or reorder text are shown as their code points.

/** A run of ordinary text, or one code point that must be spelled out. */
export type Piece = string | { readonly code: number };

const suspicious =
  // oxlint-disable-next-line no-control-regex -- finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Co}|\p{Cn}|\p{Cs}|\u2028|\u2029|(?! )\p{Zs}|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u034f|\u17b4|\u17b5|\u115f|\u1160|\u3164|\uffa0|\u2800/gu;
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const joining =
  /\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Mongolian}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Gurmukhi}|\p{Script=Gujarati}|\p{Script=Oriya}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Khmer}/u;

/** Contexts in which a no-break space is common: in numbers, before units and French punctuation. */
const joined: readonly (readonly [RegExp, RegExp])[] = [
  [/[0-9]/, /[\p{Alphabetic}\p{N}%€£¥$°]/u],
  [/«/, /[\p{Alphabetic}\p{N}]/u],
  // oxlint-disable-next-line no-control-regex -- not one of them
  [/[^\s\u0000-\u001f\u007f-\u009f]/u, /[»:;!?]/],
];
/** Scripts that use the ideographic space. */
const ideographic = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|[\u3001-\u303f\uff01-\uff5e]/u;

const codeBefore = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(Math.max(0, at - 2), at) : text.slice(Math.max(0, at - 1), at);
};
const codeAfter = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
};

/** The flags that consist of tags: England, Scotland and Wales. */
const flags = ["gbeng", "gbsct", "gbwls"].map((letters) =>
  String.fromCodePoint(0x1f3f4, ...Array.from(letters, (letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f),
);

/** Whether the tag at this index is part of such a flag. */
function isInFlag(text: string, at: number): boolean {
  const from = text.lastIndexOf("\u{1f3f4}", at);
  return from >= 0 && flags.some((flag) => text.startsWith(flag, from) && at < from + flag.length);
}

/** Whether a joiner or emoji selector is ordinary in its context, because the script needs it. */
function harmless(text: string, at: number, char: string): boolean {
  const before = codeBefore(text, at);
  const after = codeAfter(text, at + char.length);
  if (char === "\u200d") {
    return (pictograph.test(before) && pictograph.test(after)) || (joining.test(before) && joining.test(after));
  }
  if (char === "\u200c") return joining.test(before) && joining.test(after);
  if (char === "\ufe0f" || char === "\ufe0e") return (before !== "\ufe0f" && pictograph.test(before)) || /[0-9#*]/.test(before);
  if (/[\ufe00-\ufe02]|[\u{e0100}-\u{e01ef}]/u.test(char)) return /\p{Script=Han}/u.test(before);
  if (/[\u180b-\u180d\u180f]/.test(char)) return /(?![\u180b-\u180f])\p{Script=Mongolian}/u.test(before);
  // A single one. Several would push the following text out of view.
  if (/[\u00a0\u2009\u202f]/.test(char)) return joined.some(([left, right]) => left.test(before) && right.test(after));
  if (char === "\u3000") return ideographic.test(before) || ideographic.test(after);
  if (/[\u{e0020}-\u{e007f}]/u.test(char)) return isInFlag(text, at);
  // Arabic number signs and the like are visible, although they are format characters.
  return /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/.test(char);
}

/** Splits text into ordinary parts and characters that must be spelled out. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(suspicious)) {
    const char = match[0];
    if (harmless(text, match.index, char)) continue;
    if (match.index > from) out.push(text.slice(from, match.index));
    // The carriage return of a line break isn't worth mentioning.
    if (char !== "\r" || text[match.index + 1] !== "\n") out.push({ code: char.codePointAt(0) ?? 0 });
    from = match.index + char.length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/** For example `U+202E`. */
export function codePointName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Text that needs no spelling out, which is quick to check. */
const plain = /^[\n\t -~]*$/;

/** Text with hidden characters spelled out, for names, titles and attributes. */
export function visible(text: string): string {
  if (plain.test(text)) return text;
  return pieces(text)
    .map((piece) => (typeof piece === "string" ? piece : `\u27e8${codePointName(piece.code)}\u27e9`))
    .join("");
}

/** Text on one line with hidden characters spelled out: line breaks and tabs become spaces. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/[\t\r\n]+/g, " "));
}

/** A quoted name in a sentence of ours: `“everything”` is a server. */
export function quotedLine(name: string): string {
  return `“${visibleLine(name)}”`;
}
