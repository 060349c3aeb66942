// The state that a person reads of a server.
import type { ServerState } from "@/ipc/bindings/ServerState";
import type { ServerView } from "@/ipc/bindings/ServerView";

/** A server that answers and is not what was approved says so before anything else. */
export function shownState({ state, changed }: Pick<ServerView, "state" | "changed">): ServerState {
  return changed && (state === "ready" || state === "degraded") ? "changed" : state;
}
