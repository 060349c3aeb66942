// Whether the budget of a server is enough for what it asks.
import { useQuery } from "@tanstack/react-query";
import type { BudgetLeft } from "@/ipc/bindings/BudgetLeft";
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import { models } from "@/ipc/queries";

/** Nothing of it can be asked: no tokens are left for an answer, or no money where it costs some. Requests were counted when it was asked. */
export const isShort = (budget: BudgetLeft, tokens: number, route: SamplingRoute | null) =>
  (budget.tokens !== null && budget.tokens <= tokens) || (budget.cost === 0 && route?.cost !== 0);

/** What is left for a server, and whether that is too little. Where it was, it is looked up anew: a budget can be raised. */
export function useBudget(
  { budget: asked, tokens }: SamplingReview,
  server: number,
  route: SamplingRoute | null,
  edited: boolean,
): { readonly left: BudgetLeft | null; readonly short: boolean } {
  // A text that was shortened may fit.
  const needed = edited ? 0 : tokens;
  const was = asked !== null && isShort(asked, needed, route);
  const { data } = useQuery({ ...models(), staleTime: 0, enabled: was });
  const now = was ? data?.servers.find(({ policy }) => policy.server === server) : undefined;
  if (asked === null || now === undefined) return { left: asked, short: was };
  const { tokensPerDay, costPerDay } = now.policy;
  const left = {
    requests: asked.requests,
    tokens: tokensPerDay === null ? null : Math.max(0, tokensPerDay - now.tokensToday),
    cost: costPerDay === null ? null : Math.max(0, Number(costPerDay) - now.costToday),
  };
  return { left, short: isShort(left, needed, route) };
}
