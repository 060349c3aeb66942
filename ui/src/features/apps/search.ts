// What the Apps screen's address says: the chosen app, and whether its details are open in a narrow window.
export interface AppsSearch {
  id?: string;
  open?: boolean;
}

/** Keeps what makes sense of an address and drops the rest. */
export function appsSearch(raw: Record<string, unknown>): AppsSearch {
  const search: AppsSearch = {};
  const id = raw["id"];
  if (typeof id === "string" && id !== "") search.id = id;
  if (raw["open"] === true || raw["open"] === "true") search.open = true;
  return search;
}
