// Interprets an account: its lifetime, its scopes, and its owner.
import type { AccountView } from "@/ipc/bindings/AccountView";
import { visibleLine } from "./untrusted";

/** A shorter remaining lifetime is shown as a warning. */
const SOON_MS = 15 * 60_000;

/**
 * `ended`: gone for good. `over`: its token has expired and can't be refreshed. `soon`: that happens within minutes.
 * `renews`: refreshed automatically. `lasting`: expires later. `endless`: without a known end.
 */
export type Lasting = "ended" | "over" | "soon" | "renews" | "lasting" | "endless";

/** The lifetime of an account at this time. */
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

/** Whether the person must sign in again to use it. */
export const isOver = (lasting: Lasting): boolean => lasting === "ended" || lasting === "over";

/** How much of the token's lifetime has passed, from 0 to 1. Null if the end is unknown. */
export function spentOf({ renewedAt, expiresAt }: Pick<AccountView, "renewedAt" | "expiresAt">, now: number): number | null {
  if (expiresAt === null) return null;
  if (expiresAt <= renewedAt) return 1;
  return Math.min(1, Math.max(0, (now - renewedAt) / (expiresAt - renewedAt)));
}

export interface Scopes {
  /** Requested and granted. */
  readonly granted: readonly string[];
  /** Requested but not granted. */
  readonly refused: readonly string[];
  /** Granted without being requested. */
  readonly added: readonly string[];
}

/** The requested and the granted scopes, without duplicates, in their order. */
export function scopesOf({ scopesAsked, scopesGranted }: Pick<AccountView, "scopesAsked" | "scopesGranted">): Scopes {
  const asked = new Set(scopesAsked);
  const granted = new Set(scopesGranted);
  return {
    granted: [...granted].filter((scope) => asked.has(scope)),
    refused: [...asked].filter((scope) => !granted.has(scope)),
    added: [...granted].filter((scope) => !asked.has(scope)),
  };
}

/** The name of an account: the server's label or its subject id. Null if there is neither. */
export function whoOf({ label, subject }: Pick<AccountView, "label" | "subject">): string | null {
  const name = [label, subject].find((part) => part !== null && part.trim() !== "");
  return name === undefined || name === null ? null : visibleLine(name);
}

/** The host of a URL for display, or the whole text if it isn’t a URL. */
export function hostOf(address: string): string {
  return visibleLine(URL.canParse(address) ? new URL(address).host || address : address);
}

/** The accounts that a server may use, the one in use first. */
export function accountsFor(accounts: readonly AccountView[], server: number): AccountView[] {
  const rank = (account: AccountView) => (account.servers.some((user) => user.id === server && user.chosen) ? 0 : 1);
  return accounts.filter((account) => account.servers.some((user) => user.id === server)).toSorted((a, b) => rank(a) - rank(b));
}

/** Whether a server uses this account now. */
export const isChosen = (account: AccountView, server: number): boolean =>
  account.servers.some((user) => user.id === server && user.chosen);
