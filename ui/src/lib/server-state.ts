// The displayed state of a server.
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { StartStep } from "@/ipc/bindings/StartStep";

/** A displayed state. A missing value isn't a failure, because it waits for the person. Start steps are included. */
export type ShownState = ServerState | StartStep | "value_missing";

/** A connected server that differs from its approval shows that first. */
export function shownState({
  state,
  startStep,
  changed,
  failure,
}: Pick<ServerView, "state" | "startStep" | "changed" | "failure">): ShownState {
  if (startStep !== null) return startStep;
  if (state === "failed" && failure?.code === "secret_missing") return "value_missing";
  return changed && (state === "ready" || state === "degraded") ? "changed" : state;
}

/** The number of the current or next connection attempt, if it isn't the first since the last connection. */
export function attemptOf({ state, attempt }: Pick<ServerView, "state" | "attempt">): number | null {
  if (attempt === 0) return null;
  if (state === "starting") return attempt + 1;
  return state === "reconnecting" || (state === "failed" && attempt > 1) ? attempt : null;
}
