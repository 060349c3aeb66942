// The URL parameters of the Inbox: the current question.
export interface InboxSearch {
  id?: number;
}

/** Parses the URL parameters and drops invalid ones. */
export function inboxSearch(raw: Record<string, unknown>): InboxSearch {
  const id = Number(raw["id"]);
  return Number.isSafeInteger(id) && id > 0 ? { id } : {};
}
