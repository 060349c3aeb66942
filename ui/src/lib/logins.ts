// What a login's facts mean: how long it lasts, which scopes differ, and whom it names.
import type { AccountView } from "@/ipc/bindings/AccountView";
import { visibleLine } from "./untrusted";

/** Shorter than this, somebody should know that it ends. */
const SOON_MS = 15 * 60_000;

/**
 * `ended`: gone for good; `over`: its token is past and nothing renews it; `soon`: that happens within minutes;
 * `renews`: renewed without a person; `lasting`: it ends later; `endless`: the server names no end.
 */
export type Lasting = "ended" | "over" | "soon" | "renews" | "lasting" | "endless";

/** How long a login lasts, seen from now. */
export function lastingOf(
  { ended, refreshable, expiresAt }: Pick<AccountView, "ended" | "refreshable" | "expiresAt">,
  now: number,
): Lasting {
  if (ended !== null) return "ended";
  if (refreshable) return "renews";
  if (expiresAt === null) return "endless";
  if (expiresAt <= now) return "over";
  return expiresAt - now < SOON_MS ? "soon" : "lasting";
}

/** Whether a person has to sign in again before it is of use. */
export const isOver = (lasting: Lasting): boolean => lasting === "ended" || lasting === "over";

/** Where now stands between the token's receipt and its end, from 0 to 1; null where no end is known. */
export function spentOf({ renewedAt, expiresAt }: Pick<AccountView, "renewedAt" | "expiresAt">, now: number): number | null {
  if (expiresAt === null) return null;
  if (expiresAt <= renewedAt) return 1;
  return Math.min(1, Math.max(0, (now - renewedAt) / (expiresAt - renewedAt)));
}

export interface Scopes {
  /** Asked for and granted. */
  readonly granted: readonly string[];
  /** Asked for and not granted. */
  readonly refused: readonly string[];
  /** Granted without being asked for. */
  readonly added: readonly string[];
}

/** What was asked for beside what was granted; each scope once, in the order of the lists. */
export function scopesOf({ scopesAsked, scopesGranted }: Pick<AccountView, "scopesAsked" | "scopesGranted">): Scopes {
  const asked = new Set(scopesAsked);
  const granted = new Set(scopesGranted);
  return {
    granted: [...granted].filter((scope) => asked.has(scope)),
    refused: [...asked].filter((scope) => !granted.has(scope)),
    added: [...granted].filter((scope) => !asked.has(scope)),
  };
}

/** The name a login goes by: what the server calls the person, else its number for them; null where it says neither. */
export function whoOf({ label, subject }: Pick<AccountView, "label" | "subject">): string | null {
  const name = [label, subject].find((part) => part !== null && part.trim() !== "");
  return name === undefined || name === null ? null : visibleLine(name);
}

/** An address's host for people to read; the whole text where it isn’t a URL. */
export function hostOf(address: string): string {
  return visibleLine(URL.canParse(address) ? new URL(address).host || address : address);
}

/** The logins that a server may use, the one in use first. */
export function accountsFor(accounts: readonly AccountView[], server: number): AccountView[] {
  const rank = (account: AccountView) => (account.servers.some((user) => user.id === server && user.chosen) ? 0 : 1);
  return accounts.filter((account) => account.servers.some((user) => user.id === server)).toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a server uses a login now. */
export const isChosen = (account: AccountView, server: number): boolean =>
  account.servers.some((user) => user.id === server && user.chosen);
