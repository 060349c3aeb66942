// What the Inbox's address says: the chosen question.
export interface InboxSearch {
  id?: number;
}

/** Keeps what makes sense of an address and drops the rest. */
export function inboxSearch(raw: Record<string, unknown>): InboxSearch {
  const id = Number(raw["id"]);
  return Number.isSafeInteger(id) && id > 0 ? { id } : {};
}
