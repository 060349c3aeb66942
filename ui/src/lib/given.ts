// What the person opened with Mooring from outside, a link or a file, on its way into the dialog that adds servers.
import { useSyncExternalStore } from "react";

export interface Given {
  readonly way: "url" | "import";
  readonly text: string;
}

let given: Given | null = null;
const listeners = new Set<() => void>();

/** Puts it there, or takes it away with null. */
export function setGiven(next: Given | null): void {
  given = next;
  for (const listener of listeners) listener();
}

/** What waits to be shown in the dialog. */
export function useGiven(): Given | null {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => given,
  );
}
