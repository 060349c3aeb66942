// Groups a server's tools: to review, approved, or off.
import type { PinView } from "@/ipc/bindings/PinView";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import { isOpen } from "@/lib/approvals";

export const toolGroups = ["open", "approved", "off"] as const;
export type ToolGroup = (typeof toolGroups)[number];

/** Null while unknown. A tool that is off needs no review until it is on again. */
export function groupOf(pin: PinView | undefined, access: ToolAccess | undefined): ToolGroup | null {
  if (access?.effect === "deny") return "off";
  if (pin === undefined) return null;
  return isOpen(pin) ? "open" : "approved";
}
