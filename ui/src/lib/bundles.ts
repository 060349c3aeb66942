// The bundles' files that the person opened, in order. The first one is reviewed; the others wait for their turn.
import { useSyncExternalStore } from "react";

let waiting: readonly string[] = [];
const listeners = new Set<() => void>();

function set(next: readonly string[]): void {
  waiting = next;
  for (const listener of listeners) listener();
}

/** Opens the review of a bundle's file. A file that is already waiting isn't reviewed twice. */
export function openBundle(path: string): void {
  if (!waiting.includes(path)) set([...waiting, path]);
}

/** Ends the review of a file. */
export const closeBundle = (path: string): void => set(waiting.filter((other) => other !== path));

/** The file that is reviewed. */
export const useOpenBundle = (): string | null =>
  useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => waiting[0] ?? null,
  );
