// The state that a person reads of a server.
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";

/** A server that answers and is not what was approved says so before anything else. */
export function shownState({ state, changed }: Pick<ServerView, "state" | "changed">): ServerState {
  return changed && (state === "ready" || state === "degraded") ? "changed" : state;
}

/** Which attempt to connect is under way or due, where it is not the first; null otherwise. What was connected before counts only those since. */
export function attemptOf({ state, attempt }: Pick<ServerView, "state" | "attempt">): number | null {
  if (attempt === 0) return null;
  if (state === "starting") return attempt + 1;
  return state === "reconnecting" || (state === "failed" && attempt > 1) ? attempt : null;
}
