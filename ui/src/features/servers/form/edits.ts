// Edits of saved servers that are not saved yet: kept while the window runs, so that a look at another tab costs nothing.
import { KeyedStore, useKeyed } from "@/lib/keyed-store";
import type { Draft } from "./draft";

const edits = new KeyedStore<Draft>();

/** What was changed of a server and not saved, if anything. */
export const useEdit = (server: number): Draft | undefined => useKeyed(edits, String(server));

/** Keeps an edit. */
export const keepEdit = (server: number, draft: Draft): void => edits.set(String(server), draft);

/** Forgets an edit: the one that was saved, or whatever there is. What was typed since stays. */
export function dropEdit(server: number, saved?: Draft): void {
  if (saved === undefined || edits.get(String(server)) === saved) edits.delete(String(server));
}

/** For tests: as if the window had just opened. */
export const forgetEdits = (): void => edits.clear();
