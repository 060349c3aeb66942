// A failed connection in words: our title by its kind, then what happened and what to do as the backend says it.
import i18next from "i18next";
import type { Failure } from "@/ipc/bindings/Failure";
import { wholeSentence } from "./sentence";

interface FailureWords {
  readonly title: string;
  /** Null where it would say the title once more. */
  readonly why: string | null;
  readonly next: string;
  readonly evidence: string | null;
  /** The sentences point to the evidence, so it is shown at once. */
  readonly unfolded: boolean;
}

/** Their titles say all. */
const titled: ReadonlySet<Failure["code"]> = new Set(["vault_locked", "definition_changed"]);
const pointing: ReadonlySet<Failure["code"]> = new Set(["exited", "handshake"]);

/** What happened, why, the next step and what supports it, all of it ours in one language. */
export function failureWords(failure: Failure, language: string): FailureWords {
  const say = (part: "title" | "next") => i18next.t(`failure.${failure.code}.${part}`, { ns: "servers", lng: language });
  return {
    title: say("title"),
    why: titled.has(failure.code) ? null : wholeSentence(failure.message, language),
    next: failure.next === null ? say("next") : wholeSentence(failure.next, language),
    evidence: failure.evidence,
    unfolded: pointing.has(failure.code),
  };
}
