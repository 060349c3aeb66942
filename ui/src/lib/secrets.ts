// Detects values that look like secrets, which are masked until the person shows them.
import type { DiffPiece } from "@/ipc/bindings/DiffPiece";

const telling =
  /pass(?:word|wd|phrase)?|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credential|auth|cookie|session|bearer|^key$|_key$|-key$/i;
const harmless = /^(?:.*_)?(?:PATH|FILE|DIR|URL_PATH|AUTHOR|AUTHORS)$/i;
const shaped =
  /^(?:Bearer|Basic)\s|^gh[pousr]_\w{10,}|^github_pat_|^sk-[\w-]{10,}|^xox[abprs]-|^AKIA[0-9A-Z]{12,}|^eyJ[\w-]{10,}\.|^glpat-|^AIza[\w-]{20,}|-----BEGIN|^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]+@/;

/** Whether a variable or header is a secret, by its name or the form of its value. */
export function looksSecret(name: string, value: string): boolean {
  return shaped.test(value.trim()) || (telling.test(name) && !harmless.test(name));
}

const HIDDEN = "•••";
/** Everything up to the last `@` of a URL's authority: a user, a password, a token. */
const userInfo = /(?<scheme>\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#\\]*@/giu;

/** A text for display, without credentials in its URLs: `postgresql://•••@db.test/app`. */
export function hideUserInfo(text: string): string {
  return text.replaceAll(userInfo, `$<scheme>${HIDDEN}@`);
}

/** Hides credentials in a diff, piece by piece: that they changed is visible, but not their values. */
export function hideUserInfoOf(pieces: readonly DiffPiece[]): DiffPiece[] {
  const hidden = pieces.map(({ text }) => Array.from({ length: text.length }, () => false));
  for (const other of ["added", "removed"] as const) {
    const places = pieces.flatMap((piece, at) => (piece.op === other ? [] : (hidden[at]?.map((_, index) => [at, index] as const) ?? [])));
    const text = pieces.map((piece) => (piece.op === other ? "" : piece.text)).join("");
    for (const { 0: found, index, groups } of text.matchAll(userInfo))
      for (const [at, place] of places.slice(index + (groups?.["scheme"]?.length ?? 0), index + found.length - 1)) {
        const marks = hidden[at];
        if (marks) marks[place] = true;
      }
  }
  return pieces.map((piece, at) => ({
    ...piece,
    text: hidden[at]?.map((hide, index) => (!hide ? piece.text.charAt(index) : hidden[at]?.[index - 1] ? "" : HIDDEN)).join("") ?? "",
  }));
}
