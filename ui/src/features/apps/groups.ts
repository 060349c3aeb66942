// Groups the apps: first those that need the person, then those that use the servers.
import type { AppView } from "@/ipc/bindings/AppView";
import { needsKey, type Standing, standingOf, uses } from "@/lib/app-standing";

export type AppGroup = "needsYou" | "connected" | "notConnected";

const groups: readonly AppGroup[] = ["needsYou", "connected", "notConnected"];

/** The states in which the person has something to do. */
const needy: ReadonlySet<Standing> = new Set(["refused", "sealed", "sharedKey", "notAllowed", "broken", "unreadable"]);

export function groupOf(app: AppView): AppGroup {
  if (app.changed || needsKey(app) || needy.has(standingOf(app))) return "needsYou";
  return uses(app) ? "connected" : "notConnected";
}

/** In a group, apps that aren't installed come last. */
const order: Record<AppView["state"], number> = { connected: 0, broken: 1, unreadable: 2, unlisted: 3, found: 4, absent: 5 };

const rankOf = (app: AppView) => groups.indexOf(groupOf(app)) * 10 + order[app.state];

export const byGroup = (list: readonly AppView[]): AppView[] => list.toSorted((one, other) => rankOf(one) - rankOf(other));
