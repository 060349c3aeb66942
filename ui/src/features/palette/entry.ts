// One line of the palette: something to open or to do.
import type { LucideIcon } from "lucide-react";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { ToolView } from "@/ipc/bindings/ToolView";
import type { ShownState } from "@/lib/server-state";

export const GROUPS = [
  "favourite",
  "saved",
  "place",
  "server",
  "app",
  "tool",
  "resource",
  "prompt",
  "action",
  "setting",
  "search",
] as const;
export type Group = (typeof GROUPS)[number];

/** A tool of a server. */
export interface ToolOf {
  readonly server: ServerView;
  readonly tool: ToolView;
}

export interface Entry {
  /** Stays the same between runs, so that recent choices are found again. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** What it is called on the level of what it is about, whose name stands above. */
  readonly insideTitle?: string;
  /** The title is machine text. */
  readonly code?: boolean;
  readonly subtitle?: string;
  /** What else may be typed for it: synonyms, the name in English, its server. */
  readonly also: readonly string[];
  readonly icon: LucideIcon | ShownState;
  /** Its shortcut, shown at the right. */
  readonly keys?: string;
  /** In force already, such as the theme. */
  readonly current?: boolean;
  /** Shown before anything is typed. */
  readonly offered?: boolean;
  /** What can be done with it, on a level of its own. */
  readonly inside?: readonly Entry[];
  /** The tool that it is, with which more can be done. */
  readonly tool?: ToolOf;
  /** It asks for the arguments of its tool first. */
  readonly asks?: boolean;
  readonly run: () => void;
}

/** Whether something can be done with it on a level of its own. */
export const hasInside = ({ inside, tool, asks }: Entry): boolean => asks !== true && (inside !== undefined || tool !== undefined);
