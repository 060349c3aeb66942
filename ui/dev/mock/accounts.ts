// Accounts: fresh, about to expire, refreshing, signed out, and ended by the authorization server.
import type { AccountView } from "@/ipc/bindings/AccountView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SignOutView } from "@/ipc/bindings/SignOutView";
import type { Args } from "./handlers";
import { Part, refuse, wait } from "./part";
import { said } from "./say";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** An account's times, in milliseconds from now. Most accounts are from last week and have a fresh token. */
const times = (signedIn = -7 * day, renewed = -12 * minute, expires = 48 * minute, used = -40_000) => ({
  signedInAt: Date.now() + signedIn,
  renewedAt: Date.now() + renewed,
  expiresAt: Date.now() + expires,
  usedAt: Date.now() + used,
});
const scopes = (scopesAsked: string[], scopesGranted = scopesAsked) => ({ scopesAsked, scopesGranted });

/** A typical account of the server that uses it. */
const login = (
  id: number,
  issuer: string,
  resource: string,
  server: AccountView["servers"][number] | null,
  part: Partial<AccountView>,
): AccountView => ({
  id,
  issuer,
  resource,
  subject: null,
  label: null,
  client: { id: "mooring-4f1c", origin: "registered" },
  ...scopes([]),
  tokenType: "Bearer",
  ...times(),
  refreshable: true,
  ended: null,
  servers: server === null ? [] : [server],
  ...part,
});

/** The accounts of the usual scene. */
export function usualAccounts(): AccountView[] {
  const acme = "https://login.acme.test/realms/harbour";
  const docs = "https://docs.acme.test/mcp";
  const github = "https://github.com/login/oauth";
  const copilot = "https://api.githubcopilot.com/mcp/";
  const client = { id: "Ov23liExample0Mooring", origin: "entered" } as const;
  return [
    login(
      1,
      acme,
      docs,
      { id: 5, name: "docs-search", chosen: true },
      {
        label: "ana.weber@acme.test",
        subject: "f3b1c0de-7a44-4c5e-9c1e-0a5d7b21c9aa",
        tokenType: "DPoP",
        client: { id: "https://mooring.example/client.json", origin: "document" },
        ...scopes(["openid", "docs.read", "docs.write", "offline_access"], ["openid", "docs.read", "offline_access", "profile"]),
      },
    ),
    login(
      2,
      acme,
      docs,
      { id: 5, name: "docs-search", chosen: false },
      {
        label: "Harbour build robot",
        subject: "service:build-robot",
        client: { id: "build-robot", origin: "entered" },
        refreshable: false,
        ...times(-3 * hour, -3 * hour, 9 * hour, -2 * hour),
        ...scopes(["docs.read"]),
      },
    ),
    login(
      3,
      github,
      copilot,
      { id: 2, name: "github", chosen: true },
      {
        label: "octocat",
        subject: "583231",
        client,
        refreshable: false,
        ...times(-8 * hour, -8 * hour + 12 * minute, 12 * minute),
        ...scopes(["repo", "read:org", "user:email"]),
      },
    ),
    login(
      4,
      github,
      copilot,
      { id: 2, name: "github", chosen: false },
      { label: "ana-acme", subject: "9919", client, ...times(-7 * day, -26 * hour, -18 * hour, -25 * hour), ...scopes(["repo"]) },
    ),
    login(
      5,
      "https://sso.figma.test",
      "http://127.0.0.1:3845/mcp",
      { id: 7, name: "figma-dev", chosen: true },
      { subject: "usr_01HZX3M5Q2", client: null, refreshable: false, ...times(-2 * day, -2 * day), expiresAt: null, usedAt: null },
    ),
    login(
      6,
      "https://mcp.linear.app",
      "https://mcp.linear.app/mcp",
      { id: 4, name: "linear", chosen: true },
      {
        label: "ana@acme.io",
        subject: "usr-88a1",
        ...times(-7 * day, -3 * hour, -2 * hour, -2 * hour),
        ended: said("signed out meanwhile"),
        ...scopes(["read", "write"]),
      },
    ),
    login(7, "https://auth.pier.test", "https://old.pier.test/mcp", null, {
      label: "ana",
      refreshable: false,
      ...times(-5 * hour, -5 * hour, -4 * hour, -4 * hour),
      ended: said("the login has expired, and the server issued no refresh token"),
    }),
  ];
}

/** Names and URLs that are too long or malicious, by account. */
const long: Record<number, Partial<AccountView>> = {
  1: {
    label: "ana.weber-von-der-hafenverwaltung@internal.services.example-company.test",
    issuer:
      "https://identity.a-really-long-subdomain-for-testing.internal.services.example-company.test/realms/harbour-authority/protocol/openid",
  },
  2: {
    label: "bot\u202Etxt.exe\u202C \u200Badmin",
    scopesGranted: [
      "docs.read",
      "a\u202Escope",
      ...Array.from({ length: 20 }, (_, n) => `https://scopes.acme.test/harbour.${n}.readwrite`),
    ],
  },
};

function listOf(scene: string): AccountView[] {
  if (scene === "empty" || scene === "vault_none") return [];
  return scene === "long" ? usualAccounts().map((account) => ({ ...account, ...long[account.id] })) : usualAccounts();
}

export class Accounts extends Part {
  list = listOf(this.scene);
  /** The authorization server refuses the next sign-out. */
  keepsTokens = false;

  private set(next: AccountView[]): null {
    this.list = next;
    this.host.tell({ kind: "accounts" });
    return null;
  }

  change(id: number, part: Partial<AccountView>): void {
    this.set(this.list.map((item) => (item.id === id ? { ...item, ...part } : item)));
  }

  clear(): void {
    this.set([]);
  }

  forget(id: number): void {
    this.set(this.list.filter((item) => item.id !== id));
  }

  /** Adds the account of a new sign-in. */
  add({ id: server, name, url }: ServerView): number {
    const id = Math.max(0, ...this.list.map((item) => item.id)) + 1;
    const address = url ?? "https://x.test/mcp";
    const old = this.list.filter((item) => !(item.ended !== null && item.servers.some((user) => user.id === server)));
    const added = login(
      id,
      new URL(address).origin,
      address,
      { id: server, name, chosen: true },
      { label: "ana@acme.io", subject: "usr-88a1", ...times(0, 0, hour), ...scopes(["read", "write"]) },
    );
    this.list = [added, ...old];
    void this.choose_account({ server, account: id });
    return id;
  }

  list_accounts = async () => this.list;
  refresh_account = async ({ id }: Args<"refresh_account">) => {
    await wait(this.host.pace);
    const account = this.list.find((item) => item.id === id);
    if (account?.refreshable !== true) refuse("sign_in", said("the login has expired, and the server issued no refresh token"));
    this.change(id, { renewedAt: Date.now(), expiresAt: Date.now() + hour });
    return this.list.find((item) => item.id === id)!;
  };
  sign_out = async ({ id }: Args<"sign_out">): Promise<SignOutView> => {
    await wait(this.host.pace);
    const issuer = this.list.find((item) => item.id === id)?.issuer;
    this.forget(id);
    // Some authorization servers have no revocation endpoint.
    if (!this.keepsTokens && issuer !== "https://sso.figma.test") return { id, revoked: true, problem: null };
    const problem = said("{host} answered with HTTP status {status}", { host: new URL(issuer ?? "https://x.test").host, status: "503" });
    return { id, revoked: false, problem };
  };
  sign_out_all = async () => Promise.all(this.list.map(({ id }) => this.sign_out({ id })));
  forget_account = async ({ id }: Args<"forget_account">) => this.set(this.list.filter((item) => item.id !== id));
  choose_account = async ({ server, account }: Args<"choose_account">) => {
    const choose = (id: number, user: AccountView["servers"][number]) => (user.id === server ? { ...user, chosen: id === account } : user);
    return this.set(this.list.map((item) => ({ ...item, servers: item.servers.map((user) => choose(item.id, user)) })));
  };
}
