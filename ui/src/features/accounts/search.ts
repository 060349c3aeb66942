// The URL parameters of the Accounts screen: the view, the selected account, and whether its details are open in a
// narrow window.
const views = ["logins", "secrets"] as const;

export type AccountsView = (typeof views)[number];

export interface AccountsSearch {
  view?: AccountsView;
  id?: number;
  open?: boolean;
}

/** Parses the URL parameters and drops invalid ones. */
export function accountsSearch(raw: Record<string, unknown>): AccountsSearch {
  const search: AccountsSearch = {};
  const view = views.find((known) => known === raw["view"]);
  const id = Number(raw["id"]);
  if (view) search.view = view;
  if (Number.isSafeInteger(id) && id > 0) search.id = id;
  if (raw["open"] === true || raw["open"] === "true") search.open = true;
  return search;
}
