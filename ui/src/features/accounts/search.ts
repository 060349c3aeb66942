// What the Accounts screen's address says: what is listed, the chosen login, and whether its details are open in a narrow window.
const views = ["logins", "secrets"] as const;

export type AccountsView = (typeof views)[number];

export interface AccountsSearch {
  view?: AccountsView;
  id?: number;
  open?: boolean;
}

/** Keeps what makes sense of an address and drops the rest. */
export function accountsSearch(raw: Record<string, unknown>): AccountsSearch {
  const search: AccountsSearch = {};
  const view = views.find((known) => known === raw["view"]);
  const id = Number(raw["id"]);
  if (view) search.view = view;
  if (Number.isSafeInteger(id) && id > 0) search.id = id;
  if (raw["open"] === true || raw["open"] === "true") search.open = true;
  return search;
}
