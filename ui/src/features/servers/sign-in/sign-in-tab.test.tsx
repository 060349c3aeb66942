import "@/features/servers/servers-screen";
import { openApp } from "@dev/render";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

const tab = async (name = "linear") => within(await screen.findByRole("complementary", { name: `Details of “${name}”` }));
const begun = (host: ReturnType<typeof openApp>["host"]) =>
  host.sent.filter((item) => item.name === "begin_sign_in").map((item) => (item.args as { input: object }).input);

describe("signing in to a server", () => {
  // Requirements: AUTH-44.
  it("begins from its overview, leads to the tab, and shows step by step what was found", async () => {
    const { user, host, router } = openApp("/servers?id=4");
    await user.click((await tab()).getByRole("button", { name: "Sign in" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "sign_in" }));
    await waitFor(() => expect(document.activeElement?.getAttribute("role")).toBe("tabpanel"));
    const view = await tab();
    await view.findByText("Your browser is open at mcp.linear.app. Finish signing in there.");
    view.getByText(/ left$/);
    // The next step is in the browser, so the steps are collapsed.
    const fold = view.getByRole("region", { name: "Steps" }).closest("details");
    expect(fold?.open).toBe(false);
    await user.click(view.getByText("Sign-in steps"));
    expect(fold?.open).toBe(true);
    const steps = within(view.getByRole("region", { name: "Steps" })).getAllByRole("listitem");
    expect(steps[0]?.textContent).toContain(
      "Contact server212 msthe server asks for a sign-in, and names its metadata: https://mcp.linear.app/.well-known/oauth-protected-resource/mcp",
    );
    expect(within(steps[0]!).getByText("mcp.linear.app returned 401").closest("details")?.open).toBe(false);
    expect(steps.at(-1)?.textContent).toBe("Waiting for the browser");
    await user.click(view.getByRole("button", { name: "Open browser again" }));
    expect(host.sent.at(-1)?.name).toBe("reopen_browser");
    host.signIns.arrive(4);
    expect((await view.findByText(/^Signed in as/)).textContent).toBe("Signed in as ana@acme.io.");
    expect(view.getByText("In use").closest("li")?.textContent).toContain("ana@acme.ioRefreshes automatically");
    expect(view.queryByRole("button", { name: /^Sign in(?: again)?$/ })).toBeNull();
    // After signing out, nothing shows an account.
    host.accounts.clear();
    await waitFor(() => expect(view.queryByText(/^Signed in as/)).toBeNull());
    view.getByRole("button", { name: "Sign in" });
  });
  it("can be given up while the browser is awaited", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    await view.findByText(/Your browser is open/);
    await user.click(view.getByRole("button", { name: "Cancel" }));
    await view.findByText("Sign-in cancelled. Nothing was saved.");
    expect(host.signIns.views.get(4)?.status).toBe("cancelled");
    view.getByRole("button", { name: "Sign in again" });
  });
  // Requirements: AUTH-16.
  it("asks for a client where one has to be known beforehand, with the address to register", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in", "sign_in_client_needed");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    const form = within(await view.findByRole("form", { name: "Registered client" }));
    form.getByText("http://127.0.0.1:33418/callback");
    expect(form.getAllByRole("listitem")).toHaveLength(3);
    await user.click(form.getByRole("button", { name: "Sign in with this client" }));
    await form.findByText("Required");
    await user.type(form.getByRole("textbox", { name: "Client ID" }), "abc");
    const secret = form.getByLabelText(/^Client secret/);
    expect(secret.getAttribute("type")).toBe("password");
    await user.type(secret, "hunter2");
    await user.click(form.getByRole("button", { name: "Sign in with this client" }));
    await waitFor(() =>
      expect(begun(host).at(-1)).toMatchObject({
        way: "browser",
        clientId: "abc",
        clientSecret: "hunter2",
        redirect: "http://127.0.0.1:33418/callback",
      }),
    );
    await view.findByText("the client ID entered for https://mcp.linear.app");
    expect(document.body.innerHTML).not.toContain("hunter2");
  });
  it("goes on without an announcement of PKCE only when the person says so", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in", "sign_in_pkce");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    await view.findByText("The authorization server doesn’t announce PKCE.");
    const failed = within(view.getByRole("region", { name: "Steps" }))
      .getAllByRole("listitem")
      .at(-1)!;
    expect(
      within(failed)
        .getByText(/returned 200/)
        .closest("details")?.open,
    ).toBe(true);
    expect(begun(host).at(-1)).toMatchObject({ pkceUnannounced: false });
    await user.click(view.getByRole("button", { name: "Sign in anyway" }));
    await waitFor(() => expect(begun(host).at(-1)).toMatchObject({ pkceUnannounced: true }));
    await view.findByText(/Your browser is open/);
  });
  it("signs in without the server's address only when the person says so", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in", "sign_in_resource");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    await view.findByText("The authorization server rejects this server’s URL.");
    expect(begun(host).at(-1)).toMatchObject({ withoutResource: false });
    const notice = within(view.getByRole("alert"));
    // Its answer is in its frame, and the effect on tokens is mentioned once.
    expect(notice.getByRole("group", { name: "Authorization server" }).textContent).toBe("The resource does not belong to the scopes.");
    expect(notice.getAllByText(/other servers/)).toHaveLength(1);
    await user.click(view.getByRole("button", { name: "Sign in without the URL" }));
    await waitFor(() => expect(begun(host).at(-1)).toMatchObject({ withoutResource: true }));
    await view.findByText(/Your browser is open/);
  });
  it("says what the authorization server answered in its words, made visible", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in", "sign_in_denied");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    await view.findByText(/Your browser is open/);
    host.signIns.arrive(4);
    await view.findByText("The authorization server returned an error.");
    view.getByText(/allow access in the browser/);
    const notice = view.getByRole("alert");
    const frame = within(notice).getByRole("group", { name: "Authorization server" });
    expect(frame.textContent).toMatch(/^The resource owner denied the request\./);
    expect(within(notice).getByText("access_denied").closest("[data-theirs]")).not.toBeNull();
    expect(notice.querySelectorAll("p")[1]?.textContent).toBe("The sign-in ended with the error access_denied.");
    expect(document.body.textContent).toContain("U+202E");
    expect(document.body.textContent).not.toContain("\u202E");
    await user.click(view.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(begun(host).length).toBe(2));
  });
  it("says what could not be reached", async () => {
    const { user } = openApp("/servers?id=4&tab=sign_in", "sign_in_unreachable");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    const notice = within(await view.findByRole("alert"));
    notice.getByText("A required server couldn’t be reached.");
    notice.getByText(/connection refused .*\)\.$/);
    notice.getByText(/Check the network/);
    expect(view.getByRole("region", { name: "Steps" }).closest("details")?.open).toBe(false);
  });
  it("goes on by itself once the vault is open", async () => {
    const { user, host } = openApp("/servers?id=4&tab=sign_in", "sign_in_vault");
    const view = await tab();
    await user.click(await view.findByRole("button", { name: "Sign in again" }));
    const open = await view.findByRole("button", { name: "Open vault…" });
    expect(view.getAllByText(/keychain is locked/)).toHaveLength(1);
    await user.click(open);
    const dialog = within(await screen.findByRole("dialog", { name: "Can’t open the vault yet" }));
    dialog.getByText(/Unlock your keychain and try again/);
    await user.click(dialog.getByRole("button", { name: "Try again" }));
    await view.findByText(/Your browser is open/);
    expect(begun(host).length).toBe(2);
  });
  it("works without a person, with a client's secret or private key", async () => {
    const { user, host } = openApp("/servers?id=5&tab=sign_in");
    const view = await tab("docs-search");
    await user.click(await view.findByText("Other ways to sign in"));
    await user.click(view.getByRole("radio", { name: "Client credentials" }));
    await user.click(view.getByRole("radio", { name: "Private key" }));
    await user.type(view.getByRole("textbox", { name: "Client ID" }), "robot");
    await user.click(view.getByRole("button", { name: "Sign in as this client" }));
    await view.findByText("Required");
    expect(begun(host)).toEqual([]);
    await user.type(view.getByRole("textbox", { name: "Private key" }), "pem");
    await user.click(view.getByRole("button", { name: "Sign in as this client" }));
    await waitFor(() =>
      expect(begun(host).at(-1)).toMatchObject({ way: "client", clientId: "robot", clientSecret: "pem", redirect: null }),
    );
  });
});

describe("trying a sign-in again after the tab was left", () => {
  /** Starts with a manual client, waits until it fails, and comes back later. */
  const failed = async (secret: string | null) => {
    const app = openApp("/servers?id=4&tab=sign_in", "sign_in_unreachable");
    const view = await tab();
    await app.user.click(await view.findByText("Other ways to sign in"));
    if (secret !== null) await app.user.click(view.getByRole("radio", { name: "Client credentials" }));
    if (secret?.startsWith("-----BEGIN") === true) await app.user.click(view.getByRole("radio", { name: "Private key" }));
    await app.user.type(view.getByRole("textbox", { name: "Client ID" }), "robot");
    if (secret === null) await app.user.type(view.getByRole("textbox", { name: /^Redirect URI/ }), "http://127.0.0.1:9/cb");
    else await app.user.type(view.getByLabelText(/^(?:Client secret|Private key)/, { selector: "input, textarea" }), secret);
    await app.user.click(view.getByRole("button", { name: secret === null ? "Sign in with this client" : "Sign in as this client" }));
    await view.findByText("A required server couldn’t be reached.");
    await app.user.click(view.getByRole("tab", { name: "Overview" }));
    await waitFor(() => expect(view.queryByText("A required server couldn’t be reached.")).toBeNull());
    return { ...app, view };
  };
  const back = async ({ user, view }: Awaited<ReturnType<typeof failed>>) => {
    await user.click(view.getByRole("tab", { name: "Sign-in" }));
    await user.click(await view.findByRole("button", { name: "Try again" }));
  };

  it("begins it as it was begun", async () => {
    const app = await failed(null);
    await back(app);
    await waitFor(() => expect(begun(app.host).length).toBe(2));
    expect(begun(app.host)[1]).toMatchObject({ way: "browser", clientId: "robot", redirect: "http://127.0.0.1:9/cb", clientSecret: null });
  });
  it.each([
    ["Client secret", "hunter2"],
    ["Private key", "-----BEGIN PRIVATE KEY-----"],
  ])("asks for what was not kept: %s", async (name, secret) => {
    const app = await failed(secret);
    await back(app);
    const form = within(await app.view.findByRole("form", { name: "Other ways to sign in" }));
    const field = await form.findByLabelText<HTMLInputElement>(new RegExp(`^${name}`), { selector: "input, textarea" });
    expect(form.getByRole("textbox", { name: "Client ID" })).toHaveProperty("value", "robot");
    expect(form.getByRole("radio", { name: "Client credentials" }).getAttribute("aria-checked")).toBe("true");
    expect([field.value, field.closest("details")?.open]).toEqual(["", true]);
    await waitFor(() => expect(document.activeElement).toBe(field));
    form.getByText(/^The secret from that sign-in wasn’t saved/);
    expect(begun(app.host).length).toBe(1);
    await app.user.type(field, secret);
    await app.user.click(form.getByRole("button", { name: "Sign in as this client" }));
    await waitFor(() => expect(begun(app.host)[1]).toMatchObject({ way: "client", clientId: "robot", clientSecret: secret }));
  });
  it("takes nothing from a sign-in before the last one", async () => {
    const app = await failed(null);
    await app.user.click(app.view.getByRole("button", { name: "Sign in" }));
    await waitFor(() => expect(begun(app.host).length).toBe(2));
    await app.view.findByText("A required server couldn’t be reached.");
    await app.user.click(app.view.getByRole("tab", { name: "Overview" }));
    await back(app);
    await waitFor(() => expect(begun(app.host).length).toBe(3));
    expect(begun(app.host)[2]).toMatchObject({ clientId: null, redirect: null });
  });
});

describe("the account that a server uses", () => {
  it("is chosen among those it may use, or nobody", async () => {
    const { user, host } = openApp("/servers?id=5&tab=sign_in");
    const view = await tab("docs-search");
    await user.click(await view.findByRole("button", { name: "Use “Harbour build robot”" }));
    await waitFor(() => expect(host.accounts.list.find((item) => item.id === 2)?.servers[0]?.chosen).toBe(true));
    await user.click(await view.findByRole("button", { name: "Use no account" }));
    await waitFor(() =>
      expect(host.accounts.list.some((item) => item.servers.some((server) => server.id === 5 && server.chosen))).toBe(false),
    );
    await view.findByText(/hasn’t asked you to sign in/);
  });
  it("is added to with another, which is asked for as such", async () => {
    const { user, host } = openApp("/servers?id=5&tab=sign_in");
    await user.click(await (await tab("docs-search")).findByRole("button", { name: "Add another account" }));
    await waitFor(() => expect(begun(host).at(-1)).toMatchObject({ another: true }));
  });
  it("is named in the overview", async () => {
    openApp("/servers?id=5");
    const view = await tab("docs-search");
    expect((await view.findByRole("combobox", { name: /^Account/ })).textContent).toContain("ana.weber@acme.test");
    expect(view.getByRole("link", { name: "Add another account" }).getAttribute("href")).toContain("tab=sign_in");
  });
  it("is no matter of a local server", async () => {
    openApp("/servers?id=1&tab=sign_in");
    const view = await tab("filesystem");
    expect(view.queryByRole("tab", { name: "Sign-in" })).toBeNull();
    expect(view.getByRole("tab", { name: "Overview" }).getAttribute("aria-selected")).toBe("true");
  });
});
