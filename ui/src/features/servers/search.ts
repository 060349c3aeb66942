// What the Servers screen's address says: the chosen server, its tab, and the way of adding that is open.
const tabs = ["overview", "tools", "resources", "prompts", "sign_in", "roots", "trust", "settings"] as const;
/** The ways of adding a server. */
export const ways = ["command", "url", "import"] as const;

export type ServerTab = (typeof tabs)[number];
export type AddWay = (typeof ways)[number];

export interface ServersSearch {
  id?: number;
  tab?: ServerTab;
  /** The review of what changed opens: of the tool of this name, or of the first that changed. */
  review?: true | string;
  /** It fills the page, and the list is gone. */
  page?: true;
  add?: AddWay;
}

/** Keeps what makes sense of an address and drops the rest. */
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
