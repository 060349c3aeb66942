// What the Workbench's address says: which server and which of its tools.
export interface WorkbenchSearch {
  server?: number;
  tool?: string;
}

/** Keeps what makes sense of an address and drops the rest. */
export function workbenchSearch(raw: Record<string, unknown>): WorkbenchSearch {
  const search: WorkbenchSearch = {};
  if (typeof raw["server"] === "number" && Number.isSafeInteger(raw["server"])) search.server = raw["server"];
  if (typeof raw["tool"] === "string") search.tool = raw["tool"];
  return search;
}
