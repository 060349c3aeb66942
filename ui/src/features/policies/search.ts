// What the address of the policies says: the rule that is pointed at, or what a new one begins with.
import type { Caller } from "@/ipc/bindings/Caller";
import type { RuleEffect } from "@/ipc/bindings/RuleEffect";
import { ruleCaller } from "@/lib/callers";

/** What was decided about a call, to become a rule. */
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

/** Keeps what makes sense of an address and drops the rest. */
export function policiesSearch(raw: Record<string, unknown>): PoliciesSearch {
  const rule = Number(raw["rule"]);
  const make = startOf(raw["make"]);
  return { ...(Number.isSafeInteger(rule) && rule > 0 ? { rule } : {}), ...(make === null ? {} : { make }) };
}

function startOf(raw: unknown): RuleStart | null {
  if (typeof raw !== "object" || raw === null) return null;
  const { effect, server, tool, caller } = raw as Record<string, unknown>;
  // An address never lets a call run by itself: the person saves the rule.
  if ((effect !== "allow" && effect !== "ask" && effect !== "deny") || typeof tool !== "string") return null;
  return { effect, server: Number.isSafeInteger(server) ? (server as number) : null, tool, caller: ruleCaller(caller) };
}
