// What the address of the policies says: the rule that is pointed at.

export interface PoliciesSearch {
  /** A saved rule. */
  rule?: number;
}

/** Keeps what makes sense of an address and drops the rest. */
export function policiesSearch(raw: Record<string, unknown>): PoliciesSearch {
  const rule = Number(raw["rule"]);
  return Number.isSafeInteger(rule) && rule > 0 ? { rule } : {};
}
