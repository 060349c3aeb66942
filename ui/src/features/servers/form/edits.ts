// Unsaved edits of servers: in memory while the window runs, so that switching tabs doesn't lose them.
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import type { Draft } from "./draft";

const edits = new KeyedStore<Draft>();

/** The unsaved edit of a server. */
export const useEdit = (server: number): Draft | undefined => useKeyed(edits, String(server));

/** Keeps an edit. */
export const keepEdit = (server: number, draft: Draft): void => edits.set(String(server), draft);

/** Removes an edit: the saved one, or any. Later typing stays. */
export function dropEdit(server: number, saved?: Draft): void {
  if (saved === undefined || edits.get(String(server)) === saved) edits.delete(String(server));
}

/** Removes all edits, for tests. */
export const forgetEdits = (): void => edits.clear();
