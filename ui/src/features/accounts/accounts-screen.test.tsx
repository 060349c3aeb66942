import "@/features/accounts/accounts-screen";
import { said } from "@dev/mock/say";
import { openApp } from "@dev/render";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";

const pause = (ms: number) =>
  act(
    () =>
      new Promise((done) => {
        setTimeout(done, ms);
      }),
  );
const grid = () => screen.findByRole("grid", { name: "Accounts" });
const row = (name: RegExp) => screen.findByRole("row", { name });
const chosenRow = () => screen.getByRole("row", { selected: true });
const details = async (who: string) => within(await screen.findByRole("complementary", { name: `Account details: ${who}` }));
/** The button in the dialog that removes a signed-out account. */
const removal = async (who: string) =>
  within(await screen.findByRole("dialog", { name: `Remove ${who} from Mooring?` })).findByRole("button", { name: "Remove" });

describe("the list of logins", () => {
  it("stands under servers and services and says of each how long it lasts", async () => {
    openApp("/accounts");
    const list = within(await grid());
    expect(
      list
        .getAllByRole("rowgroup")
        .slice(1)
        .map((group) => group.getAttribute("aria-label")),
    ).toEqual([
      // Accounts that need the person come first.
      "“linear”, 1",
      "“docs-search”, 2",
      "“github”, 2",
      "“figma-dev”, 1",
      "“old.pier.test”, 1",
    ]);
    expect((await row(/^ana\.weber@acme\.test/)).textContent).toContain("Refreshes automatically");
    expect((await row(/^Harbour build robot/)).textContent).toContain("Expires in 9 hours");
    expect((await row(/^octocat/)).textContent).toContain("Expires in 12 minutes");
    expect((await row(/^usr_01HZX3M5Q2/)).textContent).toContain("No expiry date");
    expect((await row(/^ana@acme\.io/)).textContent).toContain("No longer validSign in again");
    expect((await row(/^ana-acme/)).textContent).toContain("Refreshes at next use");
    screen.getByText("· 1 needs you");
    expect((await row(/^ana old/)).textContent).toContain("No server");
  });
  it("is filtered by everything that names a login, and walked with j and k", async () => {
    const { user } = openApp("/accounts?id=1");
    await grid();
    await user.keyboard("jj");
    await waitFor(async () => expect((await row(/^octocat/)).getAttribute("aria-selected")).toBe("true"));
    await user.keyboard("k");
    await waitFor(async () => expect((await row(/^Harbour build robot/)).getAttribute("aria-selected")).toBe("true"));
    await user.keyboard("/read:org");
    await waitFor(() => expect(screen.queryByRole("row", { name: /^ana-acme/ })).toBeNull());
    await row(/^octocat/);
    await user.keyboard("xyz");
    await screen.findByText("No matching accounts");
    await user.click(screen.getByRole("button", { name: "Clear filter" }));
    await row(/^ana-acme/);
  });
  it("follows the host", async () => {
    const { host } = openApp("/accounts");
    await row(/^octocat/);
    host.accounts.forget(3);
    await waitFor(() => expect(screen.queryByRole("row", { name: /^octocat/ })).toBeNull());
  });
  it("says what to do when no one is signed in", async () => {
    const { user, router, host } = openApp("/accounts");
    await grid();
    host.accounts.clear();
    await screen.findByText("No accounts yet");
    screen.getByText(/^1 server requires sign-in/);
    await user.click(screen.getByRole("button", { name: "Show server" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 4, tab: "sign_in" }));
  });
});

describe("one login", () => {
  // Requirements: AUTH-37.
  it("shows what was granted and where that differs from what was asked for", async () => {
    openApp("/accounts?id=1");
    const login = await details("ana.weber@acme.test");
    const scopes = (name: string) =>
      within(login.getByRole("list", { name }))
        .getAllByRole("listitem")
        .map((item) => item.textContent);
    expect(scopes("Requested, not granted")).toEqual(["docs.write"]);
    expect(scopes("Granted, not requested")).toEqual(["profile"]);
    expect(scopes("Granted")).toEqual(["openid", "docs.read", "offline_access"]);
    // Details for developers are collapsed.
    expect(login.getByText("Issuer").closest("details")?.open).toBe(false);
    login.getByText("DPoP: bound to a key on this computer, so a copy can’t be used elsewhere");
    login.getByText("identified by Mooring’s metadata URL");
    login.getByText("Issued 12 minutes ago");
    login.getByText("Refreshes within 48 minutes");
    expect(login.getByRole("link", { name: "docs-search" }).getAttribute("href")).toContain("/servers?id=5&tab=sign_in");
  });
  it("has many scopes shown by a press, not in a box that scrolls", async () => {
    const { user, host } = openApp("/accounts?id=3");
    const many = Array.from({ length: 30 }, (_, index) => `repo.${index}`);
    act(() => host.accounts.change(3, { scopesAsked: many, scopesGranted: many }));
    const scopes = () => screen.getByRole("list", { name: "Granted" }).querySelectorAll("li").length;
    await waitFor(() => expect(scopes()).toBe(12));
    await user.click(screen.getByRole("button", { name: "Show 18 more" }));
    expect(scopes()).toBe(30);
  });
  it("spells out what its server hides in names and scopes", async () => {
    openApp("/accounts?id=2", "long");
    await screen.findByRole("complementary", { name: /^Account details: bot/ });
    const said = `${document.body.textContent} ${[...document.querySelectorAll("[title],[aria-label]")].map((node) => `${node.getAttribute("title")} ${node.getAttribute("aria-label")}`).join(" ")}`;
    expect(said).toContain("U+202E");
    expect(said).not.toMatch(/[\u202E\u200B]/u);
  });
  it("is renewed with r, where it can be", async () => {
    const { user, host } = openApp("/accounts?id=4");
    await details("ana-acme");
    await user.keyboard("r");
    await screen.findByText("Token for github.com refreshed.");
    expect(host.accounts.list.find((item) => item.id === 4)?.expiresAt).toBeGreaterThan(Date.now());
  });
  // Requirements: AUTH-43.
  it("is signed out only after a dialog has said what that does, and says that the tokens were taken back", async () => {
    const { user, host } = openApp("/accounts?id=3");
    await details("octocat");
    // Without a focused row it does nothing.
    await user.keyboard("{Backspace}");
    expect(screen.queryByRole("dialog")).toBeNull();
    chosenRow().focus();
    await user.keyboard("{Backspace}");
    const dialog = within(await screen.findByRole("dialog", { name: "Sign out octocat everywhere?" }));
    dialog.getByText("Mooring revokes the tokens at github.com.");
    dialog.getByText("1 server is signed out: “github”.");
    await user.keyboard("{Enter}");
    expect(host.accounts.list.some((item) => item.id === 3)).toBe(true);
    await user.click(dialog.getByRole("button", { name: "Sign out everywhere" }));
    await screen.findByText("Signed out. github.com revoked the tokens.");
    expect(host.accounts.list.some((item) => item.id === 3)).toBe(false);
    await details("ana-acme");
  });
  // Requirements: AUTH-43.
  it("says so when the tokens were not taken back", async () => {
    const { user, host } = openApp("/accounts?id=3");
    host.accounts.keepsTokens = true;
    await user.click((await details("octocat")).getByRole("button", { name: "Sign out everywhere" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Sign out everywhere" }));
    await screen.findByText(
      "Signed out here, but the tokens weren’t revoked. They stay valid until they expire. github.com answered with HTTP status 503.",
    );
    expect(host.accounts.list.some((item) => item.id === 3)).toBe(false);
  });
  it("that is over goes only after a question", async () => {
    const { user, host } = openApp("/accounts?id=7");
    await details("ana");
    chosenRow().focus();
    await user.keyboard("{Backspace}");
    await removal("ana");
    await user.keyboard("{Enter}{Escape}");
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(host.accounts.list.some((item) => item.id === 7)).toBe(true);
  });
  it("that is over is signed in again at its server, or forgotten", async () => {
    const { user, host, router } = openApp("/accounts?id=7");
    const old = await details("ana");
    // No server uses it, so there is nothing to sign in to.
    old.getByText("No server uses it.");
    expect(old.queryByRole("button", { name: "Sign in again" })).toBeNull();
    old.getByText("the login has expired, and the server issued no refresh token");
    await user.click(old.getByRole("button", { name: "Remove" }));
    await user.click(await removal("ana"));
    await waitFor(() => expect(host.accounts.list.some((item) => item.id === 7)).toBe(false));
    // The row has the same button.
    await user.click(within(await row(/^ana@acme\.io/)).getByRole("button", { name: "Sign in again" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 4, tab: "sign_in" }));
    expect(host.sent.at(-1)).toMatchObject({
      name: "begin_sign_in",
      args: { id: 4, input: { way: "browser", another: false, language: "en" } },
    });
  });
});

describe("the login that is looked at", () => {
  const signOut = async (user: ReturnType<typeof openApp>["user"], who: string) => {
    await user.click((await details(who)).getByRole("button", { name: "Sign out everywhere" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Sign out everywhere" }));
  };
  /** Delays the answer of a command until it is released. */
  const hold = (host: ReturnType<typeof openApp>["host"]) => {
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    const answer = host.sign_out.bind(host);
    host.sign_out = async (args) => {
      await held;
      return answer(args);
    };
    return release;
  };
  const isGone = (host: ReturnType<typeof openApp>["host"], id: number) =>
    waitFor(() => expect(host.accounts.list.some((item) => item.id === id)).toBe(false));

  it("stays when it could not be signed out", async () => {
    const { user, host, router } = openApp("/accounts?id=3");
    host.sign_out = () => Promise.reject({ code: "database", message: said("the sign-out failed"), details: null });
    await signOut(user, "octocat");
    await screen.findByText("The sign-out failed.");
    await pause(50);
    expect(router.state.location.search).toMatchObject({ id: 3 });
  });
  it("stays when it could not be forgotten", async () => {
    const { user, host, router } = openApp("/accounts?id=7");
    host.forget_account = () => Promise.reject({ code: "database", message: said("the login stays"), details: null });
    await user.click((await details("ana")).getByRole("button", { name: "Remove" }));
    await user.click(await removal("ana"));
    await screen.findByText("The login stays.");
    await pause(50);
    expect(router.state.location.search).toMatchObject({ id: 7 });
  });
  it("stays when somebody went on to it while another was signed out", async () => {
    const { user, host, router } = openApp("/accounts?id=3");
    const release = hold(host);
    await signOut(user, "octocat");
    await user.click(await row(/^Harbour build robot/));
    release();
    await isGone(host, 3);
    await pause(50);
    expect(router.state.location.search).toMatchObject({ id: 2 });
  });
  it("takes nobody back to this screen", async () => {
    const { user, host, router } = openApp("/accounts?id=3");
    const release = hold(host);
    await signOut(user, "octocat");
    await act(() => router.navigate({ to: "/settings" }));
    release();
    await isGone(host, 3);
    await pause(50);
    expect(router.state.location.pathname).toBe("/settings");
  });
  it("is none that is signed out already, where another one is left", async () => {
    const { user, host, router } = openApp("/accounts?id=5");
    await signOut(user, "usr_01HZX3M5Q2");
    await isGone(host, 5);
    // The next account could only be removed.
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 4 }));
  });
  it("is a neighbour that is still there, once it was signed out", async () => {
    const { user, host, router } = openApp("/accounts?id=3");
    const release = hold(host);
    await signOut(user, "octocat");
    act(() => host.accounts.forget(4));
    release();
    await isGone(host, 3);
    await waitFor(() => expect(router.state.location.search).toMatchObject({ id: 5 }));
  });
});

describe("the name that a server gives to a login", () => {
  const liar = "ana everywhere? Mooring says: keep it. Sign out somebody";
  it("stands apart from our question whether to sign it out", async () => {
    const { user, host } = openApp("/accounts?id=3");
    act(() => host.accounts.change(3, { label: liar }));
    await user.click((await details(liar)).getByRole("button", { name: "Sign out everywhere" }));
    const title = within(await screen.findByRole("dialog")).getByRole("heading");
    const theirs = title.querySelectorAll("[data-theirs]");
    expect([...theirs].map((part) => part.textContent)).toEqual([liar]);
    theirs[0]?.replaceWith("[theirs]");
    expect(title.textContent).toBe("Sign out [theirs] everywhere?");
  });
  it("is no part of what is said once it was renewed or forgotten", async () => {
    const { user, host } = openApp("/accounts?id=4");
    act(() => host.accounts.change(4, { label: liar }));
    await user.click((await details(liar)).getByRole("button", { name: /^Refresh now/ }));
    await screen.findByText("Token for github.com refreshed.");
    act(() => host.accounts.change(4, { ended: said("signed out meanwhile") }));
    await user.click(await (await details(liar)).findByRole("button", { name: "Remove" }));
    await user.click(await within(await screen.findByRole("dialog")).findByRole("button", { name: "Remove" }));
    await screen.findByText("Account at github.com removed.");
    expect([...document.querySelectorAll("ol li")].some((item) => item.textContent.includes("Mooring says"))).toBe(false);
  });
});

describe("messages", () => {
  it("stand above the buttons of a login", async () => {
    const { user } = openApp("/accounts?id=4");
    const place = ({ top, bottom }: { top: number; bottom: number }) => new DOMRect(800, top, 380, bottom - top);
    vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
      if (this instanceof HTMLElement && this.matches("[data-toasts]")) {
        // It is measured at its moved position, as often as the page changes.
        const moved = Number.parseFloat(this.style.translate.split(" ")[1] ?? "0");
        return place({ top: 720 + moved, bottom: 762 + moved });
      }
      return this.matches("footer") ? place({ top: 718, bottom: 774 }) : new DOMRect();
    });
    await details("ana-acme");
    await user.keyboard("r");
    const said = await screen.findByText("Token for github.com refreshed.");
    const region = said.closest<HTMLElement>("[data-toasts]");
    expect(region?.style.translate).toBe("0 -56px");
    // Measured again, it stays in place.
    fireEvent.scroll(document.body);
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    expect(region?.style.translate).toBe("0 -56px");
  });
});

describe("signing out of everything", () => {
  it("asks first and names the servers that kept their tokens", async () => {
    const { user, host } = openApp("/accounts");
    await grid();
    await user.click(screen.getAllByRole("button", { name: "More actions" })[0]!);
    await user.click(await screen.findByRole("menuitem", { name: "Sign out of all accounts…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Sign out of all accounts?" }));
    dialog.getByText("You’re signed out here even if a server doesn’t answer.");
    dialog.getByText("3 servers are signed out: “docs-search”, “github”, and “figma-dev”.");
    await user.click(dialog.getByRole("button", { name: "Sign out of all accounts" }));
    await screen.findByText("Signed out of all accounts here, but one server didn’t revoke its tokens: sso.figma.test.");
    expect(host.accounts.list).toEqual([]);
  });
});

describe("secrets", () => {
  it("are listed with their server, never with their value; what is missing stands first", async () => {
    openApp("/accounts?view=secrets");
    const table = within(await screen.findByRole("table", { name: "Secrets" }));
    expect(
      table
        .getAllByRole("row")
        .slice(1)
        .map((line) => line.textContent),
    ).toEqual([
      "WEATHER_API_KEYvariableweatherEnter value–",
      "PGPASSWORDvariablepostgres-prodencryptedyesterday",
      "X-Harbour-Keyheaderdocs-searchencryptedyesterday",
    ]);
    expect(table.getByRole("link", { name: "Enter value of “WEATHER_API_KEY” for “weather”" }).getAttribute("href")).toContain(
      "/servers?id=6&tab=settings",
    );
  });
});
