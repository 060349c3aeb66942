// How many questions want a yes or no. An address that was agreed to stays in sight, and asks nothing any more,
// unless it could not be opened.
import type { InteractionView } from "@/ipc/bindings/InteractionView";

export function waitingCount(waiting: readonly InteractionView[] | undefined): number {
  return waiting?.filter(({ question }) => question.kind !== "url" || !question.opened || question.problem !== null).length ?? 0;
}
