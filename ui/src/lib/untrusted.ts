// Text that somebody else wrote. Characters that are invisible or reorder text are shown as their code points.

/** A run of ordinary text, or one code point that must be spelled out. */
export type Piece = string | { readonly code: number };

const suspicious =
  // oxlint-disable-next-line no-control-regex -- finding them is the purpose
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\p{Cf}|\p{Co}|\p{Cn}|\p{Cs}|\u2028|\u2029|(?! )\p{Zs}|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u034f|\u17b4|\u17b5|\u115f|\u1160|\u3164|\uffa0|\u2800/gu;
const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
const joining =
  /\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Mongolian}|\p{Script=Devanagari}|\p{Script=Bengali}|\p{Script=Gurmukhi}|\p{Script=Gujarati}|\p{Script=Oriya}|\p{Script=Tamil}|\p{Script=Telugu}|\p{Script=Kannada}|\p{Script=Malayalam}|\p{Script=Sinhala}|\p{Script=Khmer}/u;

/** Between these a space is set so that no line breaks there: in numbers, before units and French punctuation. */
const joined: readonly (readonly [RegExp, RegExp])[] = [
  [/[0-9]/, /[\p{Alphabetic}\p{N}%€£¥$°]/u],
  [/«/, /[\p{Alphabetic}\p{N}]/u],
  // oxlint-disable-next-line no-control-regex -- not one of them
  [/[^\s\u0000-\u001f\u007f-\u009f]/u, /[»:;!?]/],
];
/** Written in a square, as the space of that width is. */
const ideographic = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Bopomofo}|[\u3001-\u303f\uff01-\uff5e]/u;

const codeBefore = (text: string, at: number): string => {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(Math.max(0, at - 2), at) : text.slice(Math.max(0, at - 1), at);
};
const codeAfter = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
};

/** The flags that are written with tags: of England, Scotland and Wales. */
const flags = ["gbeng", "gbsct", "gbwls"].map((letters) =>
  String.fromCodePoint(0x1f3f4, ...Array.from(letters, (letter) => 0xe0000 + letter.charCodeAt(0)), 0xe007f),
);

/** Whether the tag at this place is part of such a flag. */
function isInFlag(text: string, at: number): boolean {
  const from = text.lastIndexOf("\u{1f3f4}", at);
  return from >= 0 && flags.some((flag) => text.startsWith(flag, from) && at < from + flag.length);
}

/** Joiners and emoji selectors are part of honest writing where the script needs them. */
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
  // One, as it is set between what belongs together: more of them push out of sight what follows.
  if (/[\u00a0\u2009\u202f]/.test(char)) return joined.some(([left, right]) => left.test(before) && right.test(after));
  if (char === "\u3000") return ideographic.test(before) || ideographic.test(after);
  if (/[\u{e0020}-\u{e007f}]/u.test(char)) return isInFlag(text, at);
  // Arabic number signs and the like are visible although they are format characters.
  return /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2]/.test(char);
}

/** Splits text into what can be shown as it is and what must be spelled out. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(suspicious)) {
    const char = match[0];
    if (harmless(text, match.index, char)) continue;
    if (match.index > from) out.push(text.slice(from, match.index));
    // The carriage return of a line break is not worth a word.
    if (char !== "\r" || text[match.index + 1] !== "\n") out.push({ code: char.codePointAt(0) ?? 0 });
    from = match.index + char.length;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

/** `U+202E` and its like. */
export function codePointName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Nothing to spell out, which is seen much quicker than what there is. */
const plain = /^[\n\t -~]*$/;

/** The same as plain text, for names, titles and attributes. */
export function visible(text: string): string {
  if (plain.test(text)) return text;
  return pieces(text)
    .map((piece) => (typeof piece === "string" ? piece : `\u27e8${codePointName(piece.code)}\u27e9`))
    .join("");
}

/** One line of it: line breaks and tabs become spaces. */
export function visibleLine(text: string): string {
  return visible(text.replaceAll(/[\t\r\n]+/g, " "));
}

/** A name within a sentence of ours, set apart: `“everything”` is a server. */
export function quotedLine(name: string): string {
  return `“${visibleLine(name)}”`;
}
