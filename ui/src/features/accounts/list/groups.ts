// Logins by issuer, as the list shows them, and which of them match what is typed.
import type { AccountView } from "@/ipc/bindings/AccountView";
import { isOver, lastingOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";

export interface Group {
  readonly issuer: string;
  readonly accounts: readonly AccountView[];
}

/** Each issuer once, where its first login stands in the list. */
export function byIssuer(accounts: readonly AccountView[]): Group[] {
  const groups = new Map<string, AccountView[]>();
  for (const account of accounts) groups.set(account.issuer, [...(groups.get(account.issuer) ?? []), account]);
  return [...groups].map(([issuer, list]) => ({ issuer, accounts: list }));
}

/** Whether a server can't go on with it until the person signs in again. */
export const needsSignIn = (account: AccountView, now: number): boolean => account.servers.length > 0 && isOver(lastingOf(account, now));

/** Those that need the person first. */
export const inOrder = (accounts: readonly AccountView[], now: number): AccountView[] =>
  accounts.toSorted((left, right) => Number(needsSignIn(right, now)) - Number(needsSignIn(left, now)));

/** Whether a login matches what was typed into the filter. */
export function matchesFilter(account: AccountView, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  const { label, subject, issuer, resource, scopesAsked, scopesGranted, servers } = account;
  return [label ?? "", subject ?? "", issuer, resource, ...scopesAsked, ...scopesGranted, ...servers.map((server) => server.name)].some(
    (part) => visibleLine(part).toLowerCase().includes(wanted),
  );
}
