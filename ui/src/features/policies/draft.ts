// A rule while it is being edited.
import type { ArgumentTest } from "@/ipc/bindings/ArgumentTest";
import type { RuleInput } from "@/ipc/bindings/RuleInput";
import { nameOf } from "@/lib/tool-name";

export interface ConditionDraft {
  readonly key: number;
  readonly pointer: string;
  readonly test: ArgumentTest;
  readonly value: string;
}

/** How long a rule lasts: until removed, for a time from now, or until its saved end. */
export type Term = "always" | "hour" | "day" | "week" | "kept";

/** Which tools: any, a chosen one, or those that match a pattern. */
export type Which = "any" | "one" | "pattern";

export interface RuleDraft extends Omit<RuleInput, "arguments" | "tool" | "expiresAt"> {
  readonly which: Which;
  readonly tool: string;
  /** The tools of the saved rule, unchanged until something else is typed. */
  readonly tools: string | null;
  readonly conditions: readonly ConditionDraft[];
  readonly term: Term;
  /** The end of the saved rule. */
  readonly end: number | null;
}

let last = 0;

export const condition = (part: Partial<Omit<ConditionDraft, "key">> = {}): ConditionDraft => {
  last += 1;
  return { key: last, pointer: "", test: "equals", value: "", ...part };
};

/** The draft of a saved rule, or of a new one that asks. */
export function draftOf(rule: RuleInput | null): RuleDraft {
  return {
    which: rule?.tool == null ? "any" : nameOf(rule.tool) === null ? "pattern" : "one",
    effect: rule?.effect ?? "ask",
    server: rule?.server ?? null,
    tool: rule?.tool ?? "",
    tools: rule?.tool ?? null,
    caller: rule?.caller ?? null,
    destructiveOnly: rule?.destructiveOnly ?? false,
    conditions: (rule?.arguments ?? []).map((item) => condition(item)),
    term: rule?.expiresAt == null ? "always" : "kept",
    end: rule?.expiresAt ?? null,
  };
}

const spans: Partial<Record<Term, number>> = { hour: 3_600_000, day: 24 * 3_600_000, week: 7 * 24 * 3_600_000 };

/** The tools of the rule. A server's tool name may have spaces at its ends, but a typed one has none. */
function toolsOf({ which, tool, tools }: RuleDraft): string | null {
  if (which === "any") return null;
  if (tool === (tools ?? "")) return tools;
  if (which === "one") return tool;
  return tool.trim() === "" ? null : tool.trim();
}

/** The rule to save. */
export function inputOf(draft: RuleDraft, now: number): RuleInput {
  const span = spans[draft.term];
  return {
    effect: draft.effect,
    server: draft.server,
    tool: toolsOf(draft),
    caller: draft.caller,
    // A server's claims about its tools can make a rule ask or deny, but never allow.
    destructiveOnly: draft.destructiveOnly && draft.effect !== "allow",
    arguments: draft.conditions.map(({ pointer, test, value }) => ({ pointer, test, value: test === "present" ? "" : value })),
    expiresAt: span === undefined ? (draft.term === "kept" ? draft.end : null) : now + span,
  };
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Whether it allows every tool of every server for every caller. */
export const allowsEverything = (draft: RuleDraft): boolean =>
  draft.effect === "allow" &&
  draft.server === null &&
  draft.caller === null &&
  draft.conditions.length === 0 &&
  /^\**$/.test(toolsOf(draft) ?? "");

/** Whether it is complete. */
export const isComplete = (draft: RuleDraft): boolean =>
  (draft.which !== "one" || draft.tool !== "" || draft.tools === "") && draft.conditions.every((item) => conditionProblem(item) === null);

/** The problem of a condition, or null. */
export function conditionProblem({ pointer, test, value }: ConditionDraft): "pointer" | "json" | "value" | "folder" | null {
  if (pointer !== "" && !pointer.startsWith("/")) return "pointer";
  if (test === "equals" && !isJson(value)) return "json";
  if ((test === "starts_with" || test === "contains" || test === "within") && value === "") return "value";
  if (test === "within" && !/^(\/|[A-Za-z]:[\\/])/.test(value)) return "folder";
  return null;
}
