// An entry of the palette: something to open or to do.
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
  /** Stable between runs, so that recent choices are found again. */
  readonly id: string;
  readonly group: Group;
  readonly title: string;
  /** The title on the second level, where the subject's name is above. */
  readonly insideTitle?: string;
  /** Whether the title is machine text. */
  readonly code?: boolean;
  readonly subtitle?: string;
  /** Additional search texts: synonyms, the English name, its server. */
  readonly also: readonly string[];
  readonly icon: LucideIcon | ShownState;
  /** The shortcut, shown at the right. */
  readonly keys?: string;
  /** Whether it is already active, such as the current theme. */
  readonly current?: boolean;
  /** Whether it is shown before anything is typed. */
  readonly offered?: boolean;
  /** The actions on it, which have their own level. */
  readonly inside?: readonly Entry[];
  /** The tool, which has further actions. */
  readonly tool?: ToolOf;
  /** Whether it first asks for the arguments of its tool. */
  readonly asks?: boolean;
  readonly run: () => void;
}

/** Whether it has a second level with actions. */
export const hasInside = ({ inside, tool, asks }: Entry): boolean => asks !== true && (inside !== undefined || tool !== undefined);
