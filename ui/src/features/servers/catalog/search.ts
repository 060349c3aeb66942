// The URL parameters of the catalog: the selected entry.
export interface CatalogSearch {
  name?: string;
}

/** Parses the URL parameters and drops invalid ones. */
export function catalogSearch(raw: Record<string, unknown>): CatalogSearch {
  const name = raw["name"];
  return typeof name === "string" && name !== "" ? { name } : {};
}
