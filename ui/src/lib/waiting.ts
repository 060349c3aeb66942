// What waits for the person: questions, and the vault, once, while servers wait for it.
import { useQuery } from "@tanstack/react-query";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import { inbox, servers } from "@/ipc/queries";

/** An opened URL doesn't need an answer any more, unless opening it failed. A question that was put off comes later. */
const wantsAnswer = ({ question, putOff }: InteractionView): boolean =>
  putOff === null && (question.kind !== "url" || !question.opened || question.problem !== null);

/** A server's questions: those to answer now, and those that were put off or wait for an opened URL. */
export function useQuestionsOf(server: number): { readonly now: readonly InteractionView[]; readonly later: readonly InteractionView[] } {
  const all = useQuery(inbox()).data?.waiting.filter((view) => view.server === server) ?? [];
  return { now: all.filter(wantsAnswer), later: all.filter((view) => !wantsAnswer(view)) };
}

/** The servers that start once the vault is unlocked. */
export function useLockedServers(): readonly ServerView[] {
  return useQuery(servers()).data?.filter((server) => server.state === "locked") ?? [];
}

/** How many things wait for the person. */
export function useWaitingCount(): number {
  const questions = useQuery(inbox()).data?.waiting.filter(wantsAnswer).length ?? 0;
  return questions + (useLockedServers().length > 0 ? 1 : 0);
}
