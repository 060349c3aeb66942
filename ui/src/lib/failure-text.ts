// The text of a failed connection: our title for its kind, then the backend's cause and next step.
import i18next from "i18next";
import type { Failure } from "@/ipc/bindings/Failure";
import { wholeSentence } from "./sentence";

interface FailureWords {
  readonly title: string;
  /** Null if it would repeat the title. */
  readonly why: string | null;
  readonly next: string;
  readonly evidence: string | null;
  /** Whether the text refers to the evidence, so that it is expanded. */
  readonly unfolded: boolean;
}

/** Failures whose title says everything. */
const titled: ReadonlySet<Failure["code"]> = new Set(["vault_locked", "definition_changed"]);
const pointing: ReadonlySet<Failure["code"]> = new Set(["exited", "handshake"]);

/** What happened, why, the next step and the evidence, in one language. */
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
