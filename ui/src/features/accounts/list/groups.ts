// Groups accounts by service, and filters them.
import type { AccountView } from "@/ipc/bindings/AccountView";
import { hostOf, isOver, lastingOf } from "@/lib/logins";
import { visibleLine } from "@/lib/untrusted";

export interface Group {
  /** The server that uses them, or the host of the resource if none does. */
  readonly name: string;
  readonly accounts: readonly AccountView[];
}

/** The service of an account, under its familiar name. */
function nameOf({ servers, resource }: AccountView): string {
  const server = servers.find(({ chosen }) => chosen) ?? servers[0];
  return server === undefined ? hostOf(resource) : visibleLine(server.name);
}

/** The groups, in the order of their first accounts. */
export const byService = (accounts: readonly AccountView[]): Group[] =>
  [...Map.groupBy(accounts, nameOf)].map(([name, list]) => ({ name, accounts: list }));

/** Whether a server can't continue until the person signs in again. */
export const needsSignIn = (account: AccountView, now: number): boolean => account.servers.length > 0 && isOver(lastingOf(account, now));

/** Accounts that need the person first. */
export const inOrder = (accounts: readonly AccountView[], now: number): AccountView[] =>
  accounts.toSorted((left, right) => Number(needsSignIn(right, now)) - Number(needsSignIn(left, now)));

/** Whether an account matches the filter. */
export function matchesFilter(account: AccountView, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return true;
  const { label, subject, issuer, resource, scopesAsked, scopesGranted, servers } = account;
  return [label ?? "", subject ?? "", issuer, resource, ...scopesAsked, ...scopesGranted, ...servers.map((server) => server.name)].some(
    (part) => visibleLine(part).toLowerCase().includes(wanted),
  );
}
