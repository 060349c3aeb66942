// An app's state, including its key: only an app with a valid key is connected.
import type { AppLevel } from "@/ipc/bindings/AppLevel";
import type { AppPresence } from "@/ipc/bindings/AppPresence";
import type { AppView } from "@/ipc/bindings/AppView";

/**
 * `asks`: no valid key, so each of its calls asks. `sealed`: the vault must be open to verify its key. `sharedKey`: its
 * key is valid, but in a Git repository. `refused`: no key, or a wrong one.
 */
export type Standing = AppPresence | "asks" | "refused" | "sealed" | "sharedKey" | "notAllowed";

export function standingOf({ state, key, allowed, repository }: AppView): Standing {
  if (state !== "connected" && state !== "unlisted") return state;
  if (key === "current") return state === "connected" && repository !== null ? "sharedKey" : state;
  if (key === "sealed" || key === "refused") return key;
  return state === "connected" || key === "renew" || allowed ? "asks" : "notAllowed";
}

/** Whether an app gets the servers' offers. */
export function uses(app: AppView): boolean {
  const standing = standingOf(app);
  return (app.state === "connected" || app.state === "unlisted") && standing !== "notAllowed" && standing !== "refused";
}

/** Whether Mooring's entry has no key because its file is in a Git repository. */
export const isKeylessInRepository = ({ state, key, repository }: AppView): boolean =>
  state === "connected" && key === "none" && repository !== null;

/** Whether Mooring's entry in the app's file must be renewed. */
export const needsKey = (app: AppView): boolean =>
  app.state !== "broken" && (app.key === "refused" || (app.state === "connected" && app.key === "renew"));

/** How its calls are approved now. The chosen level only applies to an app with a valid key. */
export const levelInForce = (app: AppView): AppLevel => (uses(app) && app.key !== "current" ? "ask_here" : app.level);
