// Whether a model was not asked because the server's budget is used up. Then a retry would fail too.
import { useQuery } from "@tanstack/react-query";
import type { SamplingPolicy } from "@/ipc/bindings/SamplingPolicy";
import type { Sentence } from "@/ipc/bindings/Sentence";
import { models } from "@/ipc/queries";

/** The host's messages for that, by their limit. */
export const usedUp = {
  "the server’s budget of {limit} tokens a day is used up": "tokensPerDay",
  "the server’s budget of {limit} dollars a day is used up": "costPerDay",
} as const satisfies Record<string, keyof SamplingPolicy>;

const boundOf = (problem: Sentence | null) => Object.entries(usedUp).find(([code]) => code === problem?.code)?.[1];

/** Whether the exhausted budget is unchanged. If it was raised, the model can be asked again. */
export function useSpent(problem: Sentence | null, server: number): boolean {
  const bound = boundOf(problem);
  const { data } = useQuery({ ...models(), staleTime: 0, enabled: bound !== undefined });
  if (problem === null || bound === undefined) return false;
  const policy = data?.servers.find((item) => item.policy.server === server)?.policy;
  if (policy === undefined) return true;
  const now = policy[bound];
  return now !== null && Number(now) <= Number(problem.params["limit"]);
}
