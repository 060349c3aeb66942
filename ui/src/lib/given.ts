// A link or a file that was opened with Mooring from outside, for the dialog that adds servers.
import { useSyncExternalStore } from "react";

export interface Given {
  readonly way: "url" | "import";
  readonly text: string;
}

let given: Given | null = null;
const listeners = new Set<() => void>();

/** Sets it, or removes it with null. */
export function setGiven(next: Given | null): void {
  given = next;
  for (const listener of listeners) listener();
}

/** What the dialog should show. */
export function useGiven(): Given | null {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => given,
  );
}
