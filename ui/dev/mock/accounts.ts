// Logins of a working day: fresh, nearly over, renewing themselves, over, and ended by the other side.
import type { AccountView } from "@/ipc/bindings/AccountView";
import type { ServerView } from "@/ipc/bindings/ServerView";
import type { SignOutView } from "@/ipc/bindings/SignOutView";
import { said } from "./say";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A login like most others: signed in a week ago, its token fresh and renewed without a person. */
function login(id: number, issuer: string, resource: string, part: Partial<AccountView>): AccountView {
  const now = Date.now();
  return {
    id,
    issuer,
    resource,
    subject: null,
    label: null,
    client: { id: "mooring-4f1c", origin: "registered" },
    scopesAsked: [],
    scopesGranted: [],
    tokenType: "Bearer",
    signedInAt: now - 7 * day,
    renewedAt: now - 12 * minute,
    expiresAt: now + 48 * minute,
    refreshable: true,
    usedAt: now - 40_000,
    ended: null,
    servers: [],
    ...part,
  };
}

/** What there is on a working day. */
export function usualAccounts(): AccountView[] {
  const now = Date.now();
  const acme = "https://login.acme.test/realms/harbour";
  const github = "https://github.com/login/oauth";
  return [
    login(1, acme, "https://docs.acme.test/mcp", {
      label: "ana.weber@acme.test",
      subject: "f3b1c0de-7a44-4c5e-9c1e-0a5d7b21c9aa",
      tokenType: "DPoP",
      client: { id: "https://mooring.example/client.json", origin: "document" },
      scopesAsked: ["openid", "docs.read", "docs.write", "offline_access"],
      scopesGranted: ["openid", "docs.read", "offline_access", "profile"],
      servers: [{ id: 5, name: "docs-search", chosen: true }],
    }),
    login(2, acme, "https://docs.acme.test/mcp", {
      label: "Harbour build robot",
      subject: "service:build-robot",
      client: { id: "build-robot", origin: "entered" },
      refreshable: false,
      signedInAt: now - 3 * hour,
      renewedAt: now - 3 * hour,
      expiresAt: now + 9 * hour,
      usedAt: now - 2 * hour,
      scopesAsked: ["docs.read"],
      scopesGranted: ["docs.read"],
      servers: [{ id: 5, name: "docs-search", chosen: false }],
    }),
    login(3, github, "https://api.githubcopilot.com/mcp/", {
      label: "octocat",
      subject: "583231",
      client: { id: "Ov23liExample0Mooring", origin: "entered" },
      refreshable: false,
      signedInAt: now - 8 * hour,
      renewedAt: now - 8 * hour + 12 * minute,
      expiresAt: now + 12 * minute,
      scopesAsked: ["repo", "read:org", "user:email"],
      scopesGranted: ["repo", "read:org", "user:email"],
      servers: [{ id: 2, name: "github", chosen: true }],
    }),
    login(4, github, "https://api.githubcopilot.com/mcp/", {
      label: "ana-acme",
      subject: "9919",
      client: { id: "Ov23liExample0Mooring", origin: "entered" },
      renewedAt: now - 26 * hour,
      expiresAt: now - 18 * hour,
      usedAt: now - 25 * hour,
      scopesAsked: ["repo"],
      scopesGranted: ["repo"],
      servers: [{ id: 2, name: "github", chosen: false }],
    }),
    login(5, "https://sso.figma.test", "http://127.0.0.1:3845/mcp", {
      subject: "usr_01HZX3M5Q2",
      client: null,
      expiresAt: null,
      refreshable: false,
      usedAt: null,
      renewedAt: now - 2 * day,
      signedInAt: now - 2 * day,
      servers: [{ id: 7, name: "figma-dev", chosen: true }],
    }),
    login(6, "https://mcp.linear.app", "https://mcp.linear.app/mcp", {
      label: "ana@acme.io",
      subject: "usr-88a1",
      renewedAt: now - 3 * hour,
      expiresAt: now - 2 * hour,
      ended: said("signed out meanwhile"),
      usedAt: now - 2 * hour,
      scopesAsked: ["read", "write"],
      scopesGranted: ["read", "write"],
      servers: [{ id: 4, name: "linear", chosen: true }],
    }),
    login(7, "https://auth.pier.test", "https://old.pier.test/mcp", {
      label: "ana",
      refreshable: false,
      renewedAt: now - 5 * hour,
      signedInAt: now - 5 * hour,
      expiresAt: now - 4 * hour,
      usedAt: now - 4 * hour,
      ended: said("the login has expired, and the server issued no refresh token"),
    }),
  ];
}

/** Names and addresses that do not fit, or mean harm. */
export function longAccounts(): AccountView[] {
  return usualAccounts().map((account, index) =>
    index === 0
      ? {
          ...account,
          label: "ana.weber-von-der-hafenverwaltung@internal.services.example-company.test",
          issuer:
            "https://identity.a-really-long-subdomain-for-testing.internal.services.example-company.test/realms/harbour-authority/protocol/openid",
        }
      : index === 1
        ? {
            ...account,
            label: "bot\u202Etxt.exe\u202C \u200Badmin",
            scopesGranted: [
              "docs.read",
              "a\u202Escope",
              ...Array.from({ length: 20 }, (_, n) => `https://scopes.acme.test/harbour.${n}.readwrite`),
            ],
          }
        : account,
  );
}

const wait = (ms: number) =>
  new Promise<void>((done) => {
    setTimeout(done, ms);
  });

export class Accounts {
  list: AccountView[];
  /** The next sign-out is refused by the authorization server. */
  keepsTokens = false;
  private readonly tell: () => void;

  constructor(list: AccountView[], tell: () => void) {
    this.list = list;
    this.tell = tell;
  }

  private set(next: AccountView[]): void {
    this.list = next;
    this.tell();
  }

  change(id: number, part: Partial<AccountView>): void {
    this.set(this.list.map((item) => (item.id === id ? { ...item, ...part } : item)));
  }

  clear(): void {
    this.set([]);
  }

  async refresh(id: number, pace: number): Promise<AccountView> {
    await wait(pace);
    const account = this.list.find((item) => item.id === id);
    if (!account || !account.refreshable)
      return Promise.reject({
        code: "sign_in",
        message: said("the login has expired, and the server issued no refresh token"),
        details: null,
      });
    this.change(id, { renewedAt: Date.now(), expiresAt: Date.now() + hour });
    return this.list.find((item) => item.id === id) ?? account;
  }

  async signOut(id: number, pace: number): Promise<SignOutView> {
    await wait(pace);
    const account = this.list.find((item) => item.id === id);
    this.set(this.list.filter((item) => item.id !== id));
    // Some have no address to give tokens back to.
    const kept = this.keepsTokens || account?.issuer === "https://sso.figma.test";
    return {
      id,
      revoked: !kept,
      problem: kept
        ? said("{host} answered with HTTP status {status}", { host: new URL(account?.issuer ?? "https://x.test").host, status: "503" })
        : null,
    };
  }

  forget(id: number): void {
    this.set(this.list.filter((item) => item.id !== id));
  }

  choose(server: number, account: number | null): void {
    this.set(
      this.list.map((item) => ({
        ...item,
        servers: item.servers.map((user) => (user.id === server ? { ...user, chosen: item.id === account } : user)),
      })),
    );
  }

  /** What a sign-in brings. */
  add(server: ServerView): number {
    const id = Math.max(0, ...this.list.map((item) => item.id)) + 1;
    const address = server.url ?? "https://x.test/mcp";
    const old = this.list.filter((item) => !(item.ended !== null && item.servers.some((user) => user.id === server.id)));
    this.set([
      login(id, new URL(address).origin, address, {
        label: "ana@acme.io",
        subject: "usr-88a1",
        signedInAt: Date.now(),
        renewedAt: Date.now(),
        expiresAt: Date.now() + hour,
        scopesAsked: ["read", "write"],
        scopesGranted: ["read", "write"],
        servers: [{ id: server.id, name: server.name, chosen: true }],
      }),
      ...old.map((item) => ({ ...item, servers: item.servers.map((user) => (user.id === server.id ? { ...user, chosen: false } : user)) })),
    ]);
    return id;
  }
}
