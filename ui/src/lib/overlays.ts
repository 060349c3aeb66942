// Which window-wide overlay is open. One at a time, so that Esc always closes what is seen.
import { useSyncExternalStore } from "react";

export type Overlay = "palette" | "shortcuts" | null;

let current: Overlay = null;
const listeners = new Set<() => void>();

/** Opens an overlay, or closes the open one with null. */
export function showOverlay(next: Overlay): void {
  if (next === current) return;
  current = next;
  for (const listener of listeners) listener();
}

/** The open overlay. */
export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => current,
  );
}
