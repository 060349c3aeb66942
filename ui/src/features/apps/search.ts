// The URL parameters of the Apps screen: the selected app, and whether its details are open in a narrow window.
export interface AppsSearch {
  id?: string;
  open?: boolean;
}

/** Parses the URL parameters and drops invalid ones. */
export function appsSearch(raw: Record<string, unknown>): AppsSearch {
  const search: AppsSearch = {};
  const id = raw["id"];
  if (typeof id === "string" && id !== "") search.id = id;
  if (raw["open"] === true || raw["open"] === "true") search.open = true;
  return search;
}
