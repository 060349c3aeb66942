// The URL parameters of the Servers screen: the selected server, its tab, and the open way of adding.
const tabs = ["overview", "tools", "resources", "prompts", "sign_in", "roots", "trust", "settings"] as const;
/** The ways of adding a server. */
export const ways = ["command", "url", "import"] as const;

export type ServerTab = (typeof tabs)[number];
export type AddWay = (typeof ways)[number];

export interface ServersSearch {
  id?: number;
  tab?: ServerTab;
  /** Opens the review of changes: of the tool with this name, or of the first changed item. */
  review?: true | string;
  /** Whether the details fill the page instead of the list. */
  page?: true;
  add?: AddWay;
}

/** Parses the URL parameters and drops invalid ones. */
export function serversSearch(raw: Record<string, unknown>): ServersSearch {
  const search: ServersSearch = {};
  const id = Number(raw["id"]);
  const tab = tabs.find((known) => known === raw["tab"]);
  const add = ways.find((known) => known === raw["add"]);
  if (Number.isSafeInteger(id) && id > 0) search.id = id;
  if (tab) search.tab = tab;
  const review = raw["review"];
  if (tab === "trust" && (review === true || (typeof review === "string" && review !== ""))) search.review = review;
  if (search.id !== undefined && raw["page"] === true) search.page = true;
  if (add) search.add = add;
  return search;
}
