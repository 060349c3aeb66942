// The URL parameters of the decisions: the filters, and the open decision.
import type { DecisionFilter } from "@/ipc/bindings/DecisionFilter";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { DecisionOutcome } from "@/ipc/bindings/DecisionOutcome";
import { english } from "@/lib/i18n";
import { questionKinds } from "@/lib/question-kinds";

/** Only compiles if every outcome has texts. */
export const OUTCOMES = Object.keys(english.inbox.decisions.end satisfies Record<DecisionOutcome, string>) as readonly DecisionOutcome[];

export interface DecisionsSearch {
  kind?: DecisionKind;
  outcome?: DecisionOutcome;
  /** A saved server. */
  server?: number;
  text?: string;
  /** The decision that is open. */
  id?: number;
}

const numberIn = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
};

/** Parses the URL parameters and drops invalid ones. */
export function decisionsSearch(raw: Record<string, unknown>): DecisionsSearch {
  const kind = questionKinds.find((known) => known === raw["kind"]);
  const outcome = OUTCOMES.find((known) => known === raw["outcome"]);
  const server = numberIn(raw["server"]);
  const id = numberIn(raw["id"]);
  const text = typeof raw["text"] === "string" || typeof raw["text"] === "number" ? String(raw["text"]).trim() : "";
  return {
    ...(kind !== undefined && { kind }),
    ...(outcome !== undefined && { outcome }),
    ...(server !== undefined && { server }),
    ...(text !== "" && { text }),
    ...(id !== undefined && { id }),
  };
}

export const filterOf = ({ kind, outcome, server, text }: DecisionsSearch): DecisionFilter => ({
  kind: kind ?? null,
  outcome: outcome ?? null,
  serverId: server ?? null,
  text: text ?? null,
});

export const isFiltered = ({ kind, outcome, server, text }: DecisionsSearch): boolean =>
  [kind, outcome, server, text].some((part) => part !== undefined);
