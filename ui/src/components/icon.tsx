import type { LucideIcon } from "lucide-react";

/** A 14 px icon beside text, or 16 px where it stands for itself. Never read aloud. */
export function Icon({ of: Shape, size = 14, className }: { of: LucideIcon; size?: 12 | 14 | 16 | 20; className?: string }) {
  return <Shape aria-hidden focusable={false} size={size} className={className ?? "shrink-0"} />;
}
