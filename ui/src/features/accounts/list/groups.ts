// Logins by what they are for, as the list shows them, and which of them match what is typed.
import type { AccountView } from "@/ipc/bindings/AccountView";
import { hostOf, isOver, lastingOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";

export interface Group {
  /** The server that uses them, or the host of what they are for where none does. */
  readonly name: string;
  readonly accounts: readonly AccountView[];
}

/** What a login is for, in the words that people know it by. */
function nameOf({ servers, resource }: AccountView): string {
  const server = servers.find(({ chosen }) => chosen) ?? servers[0];
  return server === undefined ? hostOf(resource) : visibleLine(server.name);
}

/** Each server or service once, where its first login stands in the list. */
export const byService = (accounts: readonly AccountView[]): Group[] =>
  [...Map.groupBy(accounts, nameOf)].map(([name, list]) => ({ name, accounts: list }));

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
