// The host's words for states, callers and rules, as people say them. An unknown word is shown as it is.
import type { ServerState } from "@/ipc/bindings/ServerState";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import type { Translate } from "./event-words";
import type { Words } from "./saying";

const states = [
  "stopped",
  "starting",
  "ready",
  "degraded",
  "sign_in_needed",
  "waiting_for_you",
  "reconnecting",
  "changed",
  "failed",
] as const satisfies readonly ServerState[];

export function stateName(word: string, t: Translate): string {
  const known = states.find((state) => state === word);
  return known ? t(`common:state.${known}`) : visibleLine(word);
}

const callers = ["workbench", "command_line"] as const;

/** Who asked for a call, as the end of a sentence: `the Workbench`. */
export function callerName(word: string, t: Translate): string {
  const known = callers.find((caller) => caller === word);
  return known ? t(`caller.${known}`) : visibleLine(word);
}

/** Our words in the window's language. English that was kept without its sentence is shown in an English window only. */
export function inWords(words: Words | null, language: string): string {
  if (words === null) return "";
  if (typeof words !== "string") return visibleLine(sentence(words, language));
  return language === "en" ? visibleLine(words) : "";
}
