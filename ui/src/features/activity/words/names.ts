// Display names for the host's states, callers and rules. An unknown word is shown unchanged.
import type { ServerState } from "@/ipc/bindings/ServerState";
import { callerName, callingApp } from "@/lib/callers";
import { formatCount } from "@/lib/format";
import { sentence } from "@/lib/sentence";
import { visibleLine } from "@/lib/untrusted";
import type { Translate } from "./event-words";
import type { FrameWords, Say } from "./frame-words";
import type { Refused, Words } from "./saying";

const states = [
  "stopped",
  "starting",
  "ready",
  "degraded",
  "sign_in_needed",
  "waiting_for_you",
  "reconnecting",
  "asleep",
  "changed",
  "locked",
  "failed",
] as const satisfies readonly ServerState[];

export function stateName(word: string, t: Translate): string {
  const known = states.find((state) => state === word);
  return known ? t(`common:state.${known}`) : visibleLine(word);
}

/** The text of a gap: how many events were not saved, or were deleted. */
export function gapTitle(
  { count, deleted, cleared }: { count: number; deleted: boolean; cleared: boolean },
  t: Translate,
  language: string,
): string {
  if (count === 0 && !cleared) {
    return t("gap.some");
  }
  return t(cleared ? "gap.cleared" : deleted ? "gap.deleted" : "gap.row", { count, shown: formatCount(count, language) });
}

/** What decides if no rule of the person does. */
const standing = [
  "gesture",
  "definition_changed",
  "not_approved",
  "no_rule",
  "app_asks",
  "read_only",
  "not_read_only",
  "answer",
  "new_session",
  "nobody_to_ask",
  "cancelled",
  "put_aside",
] as const;

/** The reason of a decision without a rule of the person. Null if a rule decided. */
export const standingRule = (word: string) => standing.find((rule) => rule === word) ?? null;

/** A rule of the person: its number, and whether it ends with the application. */
function numbered(word: string): { session: boolean; number: string } | null {
  const [, session, number] = /^(session )?rule (\d+)$/.exec(word) ?? [];
  return number === undefined ? null : { session: session !== undefined, number };
}

/** What decided on a call, by itself: `rule 12`, `none fits`. */
export function ruleName(word: string, t: Translate): string {
  const known = standingRule(word);
  if (known) return t(`rule.${known}`);
  const rule = numbered(word);
  return rule ? t(rule.session ? "rule.session" : "rule.numbered", { number: rule.number }) : visibleLine(word);
}

/** A text of ours in the window's language. English text without a translation is only shown in an English window. */
export function inWords(words: Words | null, language: string): string {
  if (words === null) return "";
  if (typeof words !== "string") return visibleLine(sentence(words, language));
  return language === "en" ? visibleLine(words) : "";
}

/** Capitalises the first letter. */
export const begun = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The outcome of a call that ended without a message. */
export function endTitle({ status }: { status: string }, t: Translate): string {
  return t(status === "cancelled" ? "end.cancelled" : status === "timed_out" ? "end.timed_out" : "end.failed");
}

/** Why a call was allowed, asked about or denied, and its caller, in short. */
export function decidedBy({ caller, rule }: { caller: string; rule: string }, t: Translate): string {
  const who = callerName(caller, t);
  if (rule === "gesture" && caller !== "") return t("verdict.byCaller", { caller: who });
  const app = callingApp(caller);
  if (rule === "app_asks" && app !== null) return `· ${t("verdict.askedIn", { app: visibleLine(app) })}`;
  const why = rule === "" ? [] : [numbered(rule) ? t("verdict.byRule", { rule: ruleName(rule, t) }) : `· ${ruleName(rule, t)}`];
  return [...why, ...(caller === "" ? [] : [t("verdict.by", { caller: who })])].join(" · ");
}

/** `HTTP 404 at /mcp`. */
export const refusedWords = ({ status, path }: Refused, t: Translate): string => t("http.refused", { status, path: visibleLine(path) });

/** Results that are counted, with another text if the count is unknown. */
const countable = ["tools", "resources", "templates", "promptList", "folders", "taskList", "suggestions"] as const;
export type Countable = (typeof countable)[number];
export const isCounted = (say: Say): say is Countable => countable.some((known) => known === say);

/** Our text for a message. */
export function sayWords({ say, count }: Pick<FrameWords, "say" | "count">, t: Translate, language: string): string {
  if (say === null) return "";
  if (isCounted(say) && count === undefined) return t(`uncounted.${say}`);
  return t(`say.${say}`, { count: count ?? 0, shown: formatCount(count ?? 0, language) });
}
