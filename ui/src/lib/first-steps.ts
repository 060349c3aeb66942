// The first steps with the demo server: shown once after it is added, until they are done or skipped.
import { useSyncExternalStore } from "react";
import { recall, remember } from "./remembered";

const KEY = "firstSteps";
const OVER = "over";
const listeners = new Set<() => void>();
const read = () => recall(KEY);

function write(value: string) {
  remember(KEY, value);
  for (const listener of listeners) listener();
}

/** The demo server was added: the steps begin, unless they once did. */
export function beginFirstSteps(server: number): void {
  if (read() === null) write(String(server));
}

/** They are done, or not wanted. */
export function endFirstSteps(): void {
  write(OVER);
}

/** The server of the steps that are under way; null: there are none. */
export function useFirstSteps(): number | null {
  const value = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
  return value === null || value === OVER ? null : Number(value);
}
