// In place of react-remove-scroll, which Radix puts around what is modal. The page itself never scrolls, and what lies
// behind a dialog or a menu gets no pointer, so there is nothing to lock; and the lock is a style sheet that comes and
// goes, for each of which WebKit keeps a megabyte (ADR 0006).
import type { ComponentType, ReactNode } from "react";

/** What it is put around, as it is. */
export function RemoveScroll({ as: As, children }: { as: ComponentType<{ children: ReactNode }>; children: ReactNode }) {
  return <As>{children}</As>;
}
