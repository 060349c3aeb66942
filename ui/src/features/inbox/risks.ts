// The dangers of allowing a tool call.
import { useQuery } from "@tanstack/react-query";
import { FileDiff, ShieldAlert, TriangleAlert } from "lucide-react";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { PinView } from "@/ipc/bindings/PinView";
import type { TrustView } from "@/ipc/bindings/TrustView";
import { trust } from "@/ipc/queries";
import { saysDestructive } from "@/lib/tool-claims";
import type { Mark, QuestionOf } from "./kinds/kind";

/** `changed`: the tool has changed since the question, so the call can't run any more. */
export type Risk = "changed" | "destructive" | "unreviewed";

export const riskMarks: Record<Risk, Mark & { tone: "bad" | "warn" }> = {
  changed: { icon: FileDiff, tone: "bad", colour: "text-bad" },
  destructive: { icon: TriangleAlert, tone: "bad", colour: "text-bad" },
  unreviewed: { icon: ShieldAlert, tone: "warn", colour: "text-warn" },
};

const NONE: readonly Risk[] = [];

/** The dangers, worst first, and the changed definition, if it has changed. */
export function useRisks({ server, question }: InteractionView): { risks: readonly Risk[]; changed: PinView | null } {
  const tool = question.kind === "tool" ? question : null;
  const known = ({ items }: TrustView) => items.find((item) => item.kind === "tool" && item.name === tool?.tool) ?? null;
  const { data: pin = null } = useQuery({ ...trust(server), select: known, enabled: tool !== null });
  if (tool === null) return { risks: NONE, changed: null };
  const changed = pin !== null && hasChanged(tool, pin) ? pin : null;
  const risks: (Risk | false)[] = [
    changed !== null && "changed",
    saysDestructive(tool.hints) && "destructive",
    !tool.reviewed && "unreviewed",
  ];
  return { risks: risks.filter((risk) => risk !== false), changed };
}

/** Whether a tool isn't the one of the question any more, even if its change was approved meanwhile. */
const hasChanged = ({ definition }: QuestionOf<"tool">, pin: PinView): boolean =>
  pin.state === "changed" || (definition !== null && definition !== pin.hash);
