// The icon and colour of each kind of question.
import { FolderOpen, Link2, ListChecks, type LucideIcon, MessageSquareQuote, ShieldX, Sparkles, Wrench } from "lucide-react";
import type { InteractionQuestion } from "@/ipc/bindings/InteractionQuestion";
import { type Risk, riskMarks } from "./risks";

interface Mark {
  icon: LucideIcon;
  colour: string;
}

const kindMarks: Record<InteractionQuestion["kind"], Mark> = {
  tool: { icon: Wrench, colour: "text-wait" },
  form: { icon: ListChecks, colour: "text-info" },
  url: { icon: Link2, colour: "text-info" },
  sampling: { icon: Sparkles, colour: "text-info" },
  sampling_answer: { icon: MessageSquareQuote, colour: "text-info" },
  roots: { icon: FolderOpen, colour: "text-info" },
};

const blockedMark: Mark = { icon: ShieldX, colour: "text-bad" };

/** What stands before a call that is dangerous to allow. */
export const dangerMark = (risk: Risk): Mark => ({
  icon: riskMarks[risk].icon,
  colour: riskMarks[risk].tone === "bad" ? "text-bad" : "text-warn",
});

/** What stands before a question; an address that is never opened looks like none that could be. */
export const markOf = (question: InteractionQuestion): Mark =>
  question.kind === "url" && question.address.blocked !== null ? blockedMark : kindMarks[question.kind];
