// The servers that the person pinned to the rail, in order. Saved for the next start.
import { useSyncExternalStore } from "react";
import { recall, remember } from "./remembered";

const KEY = "servers.pinned";
const listeners = new Set<() => void>();
let known: { readonly text: string; readonly ids: readonly number[] } = { text: "", ids: [] };

/** Their ids. The same array while they are unchanged. A removed server stays pinned, so that undo restores the pin. */
function pinned(): readonly number[] {
  const text = recall(KEY) ?? "";
  if (text !== known.text) {
    const ids = text.split(" ").map(Number);
    known = { text, ids: ids.filter((id) => Number.isSafeInteger(id) && id > 0) };
  }
  return known.ids;
}

/** Pins or unpins a server. */
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
