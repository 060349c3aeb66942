// The servers that the person pinned to the rail, in the order in which they did. Remembered for the next start.
import { useSyncExternalStore } from "react";
import { recall, remember } from "./remembered";

const KEY = "servers.pinned";
const listeners = new Set<() => void>();
let known: { readonly text: string; readonly ids: readonly number[] } = { text: "", ids: [] };

/** Their ids; the same array as long as they are the same. One that was removed keeps its pin, so that undo brings it back. */
function pinned(): readonly number[] {
  const text = recall(KEY) ?? "";
  if (text !== known.text) {
    const ids = text.split(" ").map(Number);
    known = { text, ids: ids.filter((id) => Number.isSafeInteger(id) && id > 0) };
  }
  return known.ids;
}

/** Pins a server, or takes its pin away. */
export function togglePin(id: number): void {
  const now = pinned();
  remember(KEY, (now.includes(id) ? now.filter((other) => other !== id) : [...now, id]).join(" "));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usePinned = (): readonly number[] => useSyncExternalStore(subscribe, pinned);
