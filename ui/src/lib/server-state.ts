// The state that a person reads of a server.
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { StartStep } from "@/ipc/bindings/StartStep";

/** A state as it is shown. A value that is missing is no failure: it waits for the person. What it does while it starts is told. */
export type ShownState = ServerState | StartStep | "value_missing";

/** A server that answers and is not what was approved says so before anything else. */
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

/** Which attempt to connect is under way or due, where it is not the first; null otherwise. What was connected before counts only those since. */
export function attemptOf({ state, attempt }: Pick<ServerView, "state" | "attempt">): number | null {
  if (attempt === 0) return null;
  if (state === "starting") return attempt + 1;
  return state === "reconnecting" || (state === "failed" && attempt > 1) ? attempt : null;
}
