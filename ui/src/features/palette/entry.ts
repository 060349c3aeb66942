// One line of the palette: something to open or to do.
import type { LucideIcon } from "lucide-react";
import type { ServerState } from "@/ipc/bindings/ServerState";

export const GROUPS = ["favourite", "saved", "place", "server", "tool", "resource", "prompt", "action", "setting", "search"] as const;
export type Group = (typeof GROUPS)[number];

export interface Entry {
  /** Stays the same between runs, so that recent choices are found again. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** The title is machine text. */
  readonly code?: boolean;
  readonly subtitle?: string;
  /** What else may be typed for it: synonyms, the name in English, its server. */
  readonly also: readonly string[];
  readonly icon: LucideIcon | ServerState;
  /** Its shortcut, shown at the right. */
  readonly keys?: string;
  /** In force already, such as the theme. */
  readonly current?: boolean;
  /** Shown before anything is typed. */
  readonly offered?: boolean;
  readonly run: () => void;
}
