// The icon and colour of each kind of question, the same in the queue and among the decisions.
import { FolderOpen, Link2, ListChecks, type LucideIcon, MessageSquareQuote, Sparkles, Wrench } from "lucide-react";
import type { DecisionKind } from "@/ipc/bindings/DecisionKind";

export const kindMarks: Record<DecisionKind, { icon: LucideIcon; colour: string }> = {
  tool: { icon: Wrench, colour: "text-wait" },
  form: { icon: ListChecks, colour: "text-info" },
  url: { icon: Link2, colour: "text-info" },
  sampling: { icon: Sparkles, colour: "text-info" },
  sampling_answer: { icon: MessageSquareQuote, colour: "text-info" },
  roots: { icon: FolderOpen, colour: "text-info" },
};
