import type { AppView } from "@/ipc/bindings/AppView";
import type { Reviewable } from "@/lib/approvals";
import { getsOf } from "../gets";

const everything = { seesPrompts: true, seesResources: true, off: [] };

/** What one of the apps gets at least: an app that was there before may be kept from some of it. */
export const getsOfAll = (items: readonly Reviewable[], apps: readonly AppView[]) =>
  getsOf(items, apps.length === 1 && apps[0] !== undefined ? apps[0] : everything);
