// The URL parameters of the Workbench: the server and the item.
import type { Spot } from "./target";

const kinds = ["tool", "resource", "template", "prompt"] as const;

export interface WorkbenchSearch {
  server?: number;
  tool?: string;
  resource?: string;
  template?: string;
  prompt?: string;
  view?: "tasks";
  /** The call to show, by its id in this window. */
  run?: string;
}

/** Parses the URL parameters and drops invalid ones. Of several items the first counts. */
export function workbenchSearch(raw: Record<string, unknown>): WorkbenchSearch {
  const search: WorkbenchSearch = {};
  if (typeof raw["server"] === "number" && Number.isSafeInteger(raw["server"])) search.server = raw["server"];
  const kind = kinds.find((name) => typeof raw[name] === "string");
  if (kind !== undefined) search[kind] = String(raw[kind]);
  else if (raw["view"] === "tasks") search.view = "tasks";
  if (typeof raw["run"] === "string") search.run = raw["run"];
  return search;
}

/** The spot that the URL parameters name. */
export function spotOf(search: WorkbenchSearch): Spot | undefined {
  if (search.view === "tasks") return { kind: "tasks" };
  for (const kind of kinds) {
    const name = search[kind];
    if (name !== undefined) return { kind, name };
  }
  return undefined;
}

/** The URL parameters of a spot. */
export function searchFor(server: number, spot: Spot | undefined): WorkbenchSearch {
  if (spot === undefined) return { server };
  return spot.kind === "tasks" ? { server, view: "tasks" } : { server, [spot.kind]: spot.name };
}
