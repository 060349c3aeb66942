// Whether a server's budget is enough for its request.
import { useQuery } from "@tanstack/react-query";
import type { BudgetLeft } from "@/ipc/bindings/BudgetLeft";
import type { SamplingReview } from "@/ipc/bindings/SamplingReview";
import type { SamplingRoute } from "@/ipc/bindings/SamplingRoute";
import { models } from "@/ipc/queries";

/** No budget for an answer: no tokens, or no money for a model that costs some. Requests count when asked. */
export const isShort = (budget: BudgetLeft, tokens: number, route: SamplingRoute | null) =>
  (budget.tokens !== null && budget.tokens <= tokens) || (budget.cost === 0 && route?.cost !== 0);

/** What is left of a server's budget, and whether it is too little. Then it is read again, as it may be raised. */
export function useBudget(
  { budget: asked, tokens }: SamplingReview,
  server: number,
  route: SamplingRoute | null,
  edited: boolean,
): { readonly left: BudgetLeft | null; readonly short: boolean } {
  // A shortened text may fit.
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
