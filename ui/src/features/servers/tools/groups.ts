// A server's tools by what becomes of them for the person: to review, approved, or off.
import type { PinView } from "@/ipc/bindings/PinView";
import type { ToolAccess } from "@/ipc/bindings/ToolAccess";
import { isOpen } from "@/lib/approvals";

export const toolGroups = ["open", "approved", "off"] as const;
export type ToolGroup = (typeof toolGroups)[number];

/** None while it isn't known. What is off needs no review before it is on again. */
export function groupOf(pin: PinView | undefined, access: ToolAccess | undefined): ToolGroup | null {
  if (access?.effect === "deny") return "off";
  if (pin === undefined) return null;
  return isOpen(pin) ? "open" : "approved";
}
