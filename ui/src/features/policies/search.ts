// The URL parameters of the policies: a rule to show, or the values of a new one.
import type { Caller } from "@/ipc/bindings/Caller";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import { ruleCaller } from "@/lib/callers";

/** A decision about a call, to create a rule from. */
export interface RuleStart {
  readonly effect: RuleEffect;
  readonly server: number | null;
  readonly tool: string;
  readonly caller: Caller | null;
}

export interface PoliciesSearch {
  /** A saved rule. */
  rule?: number;
  /** A rule to be made. */
  make?: RuleStart;
}

/** Parses the URL parameters and drops invalid ones. */
export function policiesSearch(raw: Record<string, unknown>): PoliciesSearch {
  const rule = Number(raw["rule"]);
  const make = startOf(raw["make"]);
  return { ...(Number.isSafeInteger(rule) && rule > 0 ? { rule } : {}), ...(make === null ? {} : { make }) };
}

function startOf(raw: unknown): RuleStart | null {
  if (typeof raw !== "object" || raw === null) return null;
  const { effect, server, tool, caller } = raw as Record<string, unknown>;
  // A URL never allows a call by itself, because the person must save the rule.
  if ((effect !== "allow" && effect !== "ask" && effect !== "deny") || typeof tool !== "string") return null;
  return { effect, server: Number.isSafeInteger(server) ? (server as number) : null, tool, caller: ruleCaller(caller) };
}
