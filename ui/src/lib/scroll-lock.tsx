// Replaces react-remove-scroll, which Radix uses around modal elements. The page itself never scrolls, and elements
// behind a dialog or a menu get no pointer events, so there is nothing to lock. The lock also adds and removes a style
// sheet, and WebKit leaks a megabyte each time (ADR 0006).
import type { ComponentType, ReactNode } from "react";

/** Renders its children unchanged. */
export function RemoveScroll({ as: As, children }: { as: ComponentType<{ children: ReactNode }>; children: ReactNode }) {
  return <As>{children}</As>;
}
