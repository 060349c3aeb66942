import type { LucideIcon } from "lucide-react";
import { EmptyState } from "@/components/empty-state";

/** An empty tab, centred. */
export function TabEmpty(props: { icon: LucideIcon; title: string; text: string }) {
  return (
    <div className="flex h-full flex-col">
      <EmptyState {...props} />
    </div>
  );
}
