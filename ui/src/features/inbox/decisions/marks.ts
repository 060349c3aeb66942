// The icon and colour of each way in which a question ends.
import { BellOff, CircleCheck, CircleSlash, CircleX, Clock, type LucideIcon, TriangleAlert, Undo2 } from "lucide-react";
import type { DecisionOutcome } from "@/ipc/bindings/DecisionOutcome";

export const marks: Record<DecisionOutcome | "undone", { icon: LucideIcon; colour: string }> = {
  accepted: { icon: CircleCheck, colour: "text-ok" },
  undone: { icon: TriangleAlert, colour: "text-warn" },
  declined: { icon: CircleX, colour: "text-bad" },
  cancelled: { icon: CircleSlash, colour: "text-fg-3" },
  withdrawn: { icon: Undo2, colour: "text-fg-3" },
  expired: { icon: Clock, colour: "text-warn" },
  put_aside: { icon: BellOff, colour: "text-warn" },
};
