// The icon and colour of each kind of question, and what its server is to it.
import {
  AppWindow,
  CircleX,
  FolderOpen,
  Link2,
  ListChecks,
  type LucideIcon,
  MessageSquareQuote,
  ShieldX,
  Sparkles,
  SquareTerminal,
  TriangleAlert,
  Wrench,
} from "lucide-react";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";
import type { DecisionView } from "@/ipc/bindings/DecisionView";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { type Risk, riskMarks } from "./risks";

interface Mark {
  icon: LucideIcon;
  colour: string;
}

/** What a question is about, to the person: the command line in a terminal is no app. */
type Matter = DecisionKind | "terminal";

export const matterOf = (question: InteractionQuestion): Matter =>
  question.kind === "app" && question.isTerminal ? "terminal" : question.kind;

/** A decision doesn't say what it was; no app calls by the command line. */
export const decidedMatter = ({ kind, caller }: DecisionView): Matter => (kind === "app" && caller === "command_line" ? "terminal" : kind);

const kindMarks: Record<Matter, Mark> = {
  tool: { icon: Wrench, colour: "text-wait" },
  app: { icon: AppWindow, colour: "text-wait" },
  terminal: { icon: SquareTerminal, colour: "text-wait" },
  form: { icon: ListChecks, colour: "text-info" },
  url: { icon: Link2, colour: "text-info" },
  sampling: { icon: Sparkles, colour: "text-info" },
  sampling_answer: { icon: MessageSquareQuote, colour: "text-info" },
  roots: { icon: FolderOpen, colour: "text-info" },
};

/** What the server is to a question: it asks, a call runs on it, or it is the first that an app or a command wants. */
export const serverRoles: Record<Matter, "server" | "runsOn" | "firstCall" | "uses"> = {
  tool: "runsOn",
  app: "firstCall",
  terminal: "uses",
  form: "server",
  url: "server",
  sampling: "server",
  sampling_answer: "server",
  roots: "server",
};

const blockedMark: Mark = { icon: ShieldX, colour: "text-bad" };

/** What stands before a call that is dangerous to allow. */
export const dangerMark = (risk: Risk): Mark => ({
  icon: riskMarks[risk].icon,
  colour: riskMarks[risk].tone === "bad" ? "text-bad" : "text-warn",
});

const unansweredMark: Mark = { icon: CircleX, colour: "text-bad" };

const misleadingMark: Mark = { icon: TriangleAlert, colour: "text-bad" };

/** What stands before a question; an address that is never opened, or that misleads, looks like none that could be. */
export function markOf(question: InteractionQuestion): Mark {
  if (question.kind === "sampling_answer" && question.problem !== null) return unansweredMark;
  if (question.kind !== "url") return kindMarks[matterOf(question)];
  const { blocked, misleads } = question.address;
  if (blocked !== null) return blockedMark;
  return misleads && !question.opened ? misleadingMark : kindMarks.url;
}
