// How an app stands, with its key taken into account: only one that proves itself is connected.
import type { AppLevel } from "@/ipc/bindings/AppLevel";
import type { AppPresence } from "@/ipc/bindings/AppPresence";
import type { AppView } from "@/ipc/bindings/AppView";

/** `asks`: without a valid key, so that each of its calls asks; `sealed`: the vault has to be open to check its key. */
export type Standing = AppPresence | "asks" | "sealed" | "notAllowed";

export function standingOf({ state, key, allowed }: AppView): Standing {
  if (state !== "connected" && state !== "unlisted") return state;
  if (key === "current") return state;
  if (key === "sealed") return "sealed";
  return state === "connected" || key === "renew" || allowed ? "asks" : "notAllowed";
}

/** Whether an app gets what the servers have. */
export function uses(app: AppView): boolean {
  return (app.state === "connected" || app.state === "unlisted") && standingOf(app) !== "notAllowed";
}

/** Whether Mooring's entry in the app's file has to get a key. In a Git repository it can't. */
export const needsKey = (app: AppView): boolean => app.state === "connected" && app.key !== "in_repository" && standingOf(app) === "asks";

/** How its calls are allowed now: what was chosen counts only for an app that proves itself. */
export const levelInForce = (app: AppView): AppLevel => (uses(app) && app.key !== "current" ? "ask_here" : app.level);
