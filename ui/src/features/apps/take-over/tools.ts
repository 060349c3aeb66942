import type { AppView } from "@/ipc/bindings/AppView";
import type { Reviewable } from "@/lib/approvals";
import { getsOf } from "../gets";

const everything = { seesPrompts: true, seesResources: true, off: [] };

/** What every one of the apps gets. An existing app may not get all of it. */
export const getsOfAll = (items: readonly Reviewable[], apps: readonly AppView[]) =>
  getsOf(items, apps.length === 1 && apps[0] !== undefined ? apps[0] : everything);
