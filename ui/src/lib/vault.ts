// What the vault's state means for the person.
import i18next from "i18next";
import type { Sentence } from "@/ipc/bindings/Sentence";
import type { VaultView } from "@/ipc/bindings/VaultView";
import { wholeSentence } from "./sentence";

/** The state as a key of the texts. */
export type VaultWord = "keychain" | "passphrase" | "memory" | "locked" | "unavailable" | "waiting" | "opening" | "closed";

export function vaultWord({ state, mode }: VaultView): VaultWord {
  if (state === "open") return mode ?? "keychain";
  // The key exists but can't be reached.
  return state === "unavailable" && mode !== null ? "locked" : state;
}

/** Whether encrypted data can't be read until the person does something. */
export const blocked = ({ state }: VaultView): boolean => state === "locked" || state === "unavailable" || state === "waiting";

/**
 * What the person can do: `enter` the passphrase, retry (`again`) after doing something elsewhere, `choose` where to
 * save the first key, `mend` (restore something and retry, or start over), `wait`, or `keep` (nothing is needed).
 */
export type VaultStep = "enter" | "again" | "choose" | "mend" | "wait" | "keep";

export function vaultStep({ state, mode, reason }: VaultView): VaultStep {
  if (state === "unavailable") return mode === null ? "choose" : "mend";
  if (state === "locked")
    return reason === "passphrase" ? "enter" : reason === "keychain_locked" || reason === "records" ? "again" : "mend";
  if (state === "waiting") return "again";
  return state === "opening" ? "wait" : "keep";
}

/** Why it isn't open, if that says more than its state. */
export const reasonOf = (view: VaultView): Sentence | null =>
  blocked(view) && view.state !== "waiting" && vaultStep(view) !== "enter" ? view.message : null;

/** The meaning of its state in one sentence: why it isn't open, or how much waits for the passphrase. */
export function vaultText(view: VaultView, language: string): string {
  const reason = reasonOf(view);
  if (reason !== null) return wholeSentence(reason, language);
  const t = i18next.getFixedT(language, "vault");
  return vaultStep(view) === "enter" && view.sealed > 0 ? t("unlock.text", { count: view.sealed }) : t(`means.${vaultWord(view)}`);
}

/** The shortest passphrase that the vault accepts, in characters. */
export const SHORTEST_PASSPHRASE = 8;

/** The problem of a new passphrase, typed twice. */
export function passphraseProblem(first: string, second: string): "short" | "differs" | null {
  if (Array.from(first).length < SHORTEST_PASSPHRASE) return "short";
  return first === second ? null : "differs";
}

/** The approximate strength of a passphrase: first length, then variety. Only advice, because the vault decides. */
export function passphraseStrength(text: string): "short" | "fair" | "good" {
  const length = Array.from(text).length;
  if (length < SHORTEST_PASSPHRASE) return "short";
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(text)).length;
  const varied = new Set(text).size >= 6;
  return varied && (length >= 16 || (length >= 12 && kinds >= 2)) ? "good" : "fair";
}
