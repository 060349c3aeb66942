// What a server needs from the person: an answer, a fix, a review. Others need nothing.
import type { ServerView } from "@/ipc/bindings/ServerView";
import { shownState } from "./server-state";

export const needs = ["waiting", "failed", "changed", "none"] as const;
export type Need = (typeof needs)[number];

export function needOf(server: ServerView): Need {
  switch (shownState(server)) {
    case "waiting_for_you":
    case "sign_in_needed":
    case "locked":
    case "value_missing":
      return "waiting";
    case "failed":
      return "failed";
    case "changed":
      return "changed";
    default:
      return server.changed ? "changed" : "none";
  }
}
