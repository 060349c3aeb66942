// What makes a call of a tool dangerous to allow.
import { useQuery } from "@tanstack/react-query";
import { FileDiff, ShieldAlert, TriangleAlert } from "lucide-react";
import type { InteractionView } from "@/ipc/bindings/InteractionView";
import type { PinView } from "@/ipc/bindings/PinView";
import type { TrustView } from "@/ipc/bindings/TrustView";
import { trust } from "@/ipc/queries";
import { saysDestructive } from "@/lib/tool-claims";
import type { Mark, QuestionOf } from "./kinds/kind";

/** `changed`: since it was asked, so that the call no longer runs, whatever is answered. */
export type Risk = "changed" | "destructive" | "unreviewed";

export const riskMarks: Record<Risk, Mark & { tone: "bad" | "warn" }> = {
  changed: { icon: FileDiff, tone: "bad", colour: "text-bad" },
  destructive: { icon: TriangleAlert, tone: "bad", colour: "text-bad" },
  unreviewed: { icon: ShieldAlert, tone: "warn", colour: "text-warn" },
};

const NONE: readonly Risk[] = [];

/** The dangers, the worst first, and what became of the tool's definition where it changed. */
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

/** Whether a tool is no longer what the question is about, also where the change was approved meanwhile. */
const hasChanged = ({ definition }: QuestionOf<"tool">, pin: PinView): boolean =>
  pin.state === "changed" || (definition !== null && definition !== pin.hash);
