import type { LucideIcon } from "lucide-react";

/** An icon of 14 px next to text, or 16 px by itself. Hidden from screen readers. */
export function Icon({ of: Shape, size = 14, className }: { of: LucideIcon; size?: 12 | 14 | 16 | 20; className?: string }) {
  return <Shape aria-hidden focusable={false} size={size} className={className ?? "shrink-0"} />;
}
